import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestTestClient } from '../../apps/gateway/src/rest/testing/test-replicas.ts';
import { metaWith, requestOf2026 } from '../dialects/client-of-2026.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, connectMcpClient } from '../harness/mcp-client.ts';

/** Whoever looks after a tenant sees which program made a call, by the name that its client gives in MCP. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(() => baton?.stop());

const ECHO = { name: 'bench_echo', arguments: { text: 'a' } };
const get = async (path: string): Promise<AnyJson> =>
  (await new RestTestClient(baton.url(1)).send('GET', `/v1${path}`, { token: baton.apiKey })).body;

/** What each view says of the client of a task that waits. */
async function clientsOf(taskId: string): Promise<unknown[]> {
  const [{ interactions }, { tasks }, task] = await Promise.all([
    get('/interactions?status=pending'),
    get('/tasks'),
    get(`/tasks/${taskId}`),
  ]);
  const isOfTask = (one: AnyJson) => one.taskId === taskId;
  const listed = interactions.find(isOfTask);
  const history = (await get('/interactions')).interactions.find(isOfTask);
  const shown = await get(`/interactions/${listed.interactionId}`);
  return [listed, history, shown, tasks.find(isOfTask), task, task.interactions[0]].map(
    ({ client }) => client,
  );
}

const everywhere = (name: string | undefined) => Array.from({ length: 6 }, () => name);

test('a session of 2025 has named its client', async () => {
  const client = await connectMcpClient(baton.url(), baton.apiKey);
  const { structuredContent } = await client.callTool(ECHO);
  const name = (client as AnyJson)._clientInfo.name;
  expect(name).not.toBe('');
  expect(await clientsOf((structuredContent as AnyJson).taskId)).toEqual(everywhere(name));
  await client.close();
});

test.each([
  ['as it is', 'claude-code', 'claude-code'],
  ['whatever it holds', '<script>\u001b[31m\r\nx', '<script>\u001b[31m\r\nx'],
  ['shortened to 100 characters', 'n'.repeat(5_000), 'n'.repeat(100)],
])('a request of 2026-07-28 names its client, and the name is kept %s', async (_, given, kept) => {
  const meta = metaWith({}, { 'io.modelcontextprotocol/clientInfo': { name: given, version: '1' } });
  const { body } = await requestOf2026(baton.url(), baton.apiKey, 'tools/call', ECHO, { meta });
  expect(await clientsOf(body.result.structuredContent.taskId)).toEqual(everywhere(kept));
});

test('a call over REST names none', async () => {
  const { body } = await new RestTestClient(baton.url()).send('POST', '/v1/tools/bench_echo', {
    token: baton.apiKey,
    json: ECHO.arguments,
  });
  expect(await clientsOf(body.taskId)).toEqual(everywhere(undefined));
});
