import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';

/** What the text of a reply holds, and whether output schemas are listed, by the host and the revision of its client. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(() => baton?.stop());

async function connect(name: string): Promise<Client> {
  const client = new Client({ name, version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${baton.apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${baton.url()}/mcp`), { requestInit }) as never,
  );
  return client;
}

const textsOf = ({ content }: AnyJson): string[] =>
  content.filter(({ type }: AnyJson) => type === 'text').map(({ text }: AnyJson) => text);

test.each([
  ['claude-code', 'sentence', false],
  ['codex-mcp-client', 'sentence', false],
  ['cursor-vscode', 'outline', false],
  ['gemini-cli-mcp-client-baton', 'outline', false],
  ['Visual Studio Code', 'outline', false],
  ['some-program', 'outline', true],
] as const)('%s has a %s of a result; output schemas are listed: %s', async (name, form, listsOutput) => {
  const client = await connect(name);
  const projectRoot = name;
  const call = (tool: string, args: object = {}): Promise<AnyJson> =>
    client.callTool({ name: tool, arguments: { projectRoot, ...args } });
  await call('add_task', { title: 'Brew', description: 'Tea.', details: 'Water first.\nThen leaves.' });
  const reply = await call('get_task', { id: '1' });
  const [sentence, outline, ...more] = textsOf(reply);
  expect(sentence).toBe('Task 1: Brew');
  expect(more).toEqual([]);
  if (form === 'sentence') expect(outline).toBeUndefined();
  else
    for (const said of ['title: Brew', 'status: pending', 'Water first.\nThen leaves.'])
      expect(outline).toContain(said);

  const asked = await call('parse_prd', { prd: 'A shop.', append: true });
  expect(JSON.parse(textsOf(asked)[1] as string), 'a request is JSON for every host').toEqual(
    asked.structuredContent,
  );
  const { interactionId } = asked.structuredContent;
  const data = { tasks: [{ id: 1, title: 'Open the shop', description: 'At nine.' }] };
  const agentLLMResponse = { status: 'success', data };
  const ended = await call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
  expect(ended.structuredContent.outcome.status).toBe('completed');
  expect(textsOf(ended).join('\n').includes('Open the shop')).toBe(form === 'outline');

  const { tools } = await client.listTools();
  expect(tools.every(({ outputSchema }) => (outputSchema !== undefined) === listsOutput)).toBe(true);
  await client.close();
});

test('a client of a revision without structured content, or that tells none, has the data as JSON', async () => {
  for (const headers of [{}, { 'mcp-protocol-version': '2025-03-26' }]) {
    const params = { name: 'list_tags', arguments: { projectRoot: 'some-program' } };
    const { body } = await postJsonRpc(
      baton.url(),
      baton.apiKey,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers,
    );
    expect(JSON.parse(textsOf(body.result)[1] as string)).toEqual(body.result.structuredContent);
  }
});
