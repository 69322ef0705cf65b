import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, connectMcpClient } from '../harness/mcp-client.ts';
import { AgentFixture, putAgent } from './agent-fixture.ts';
import { connectNotifiedClient } from './notified-client.ts';

let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
  await putAgent(fixture, 'assistant');
});
afterAll(() => fixture?.stop());

/** The tools of agents as a client lists them, page by page, and all others. */
async function listTools(client: Client) {
  const all: AnyJson[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    all.push(...page.tools);
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  const { tools } = JSON.parse(JSON.stringify({ tools: all })) as { tools: AnyJson[] };
  const isOwn = ({ outputSchema, name }: AnyJson) =>
    name !== 'agent_llm' && name.startsWith('agent_') && outputSchema !== undefined;
  return { agents: tools.filter(isOwn), others: tools.filter((one) => !isOwn(one)), pages };
}

const names = (tools: readonly AnyJson[]) => tools.map(({ name }) => name as string);

test('an enabled specialist is a tool behind the others; the primary and disabled ones are none [agents-over-mcp, specialist-not-active]', async () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer', maximum: 9 } },
    required: ['city'],
  };
  await putAgent(fixture, 'weather', { description: 'Tells the weather', parameters });
  await putAgent(fixture, 'poet');
  await putAgent(fixture, 'asleep', { enabled: false });
  const { agents, others } = await listTools(fixture.clients[1]);
  expect(names(agents)).toEqual(['agent_poet', 'agent_weather']);
  expect(names(others)).toContain('agent_llm');
  expect(agents[1]).toMatchObject({
    name: 'agent_weather',
    title: 'The weather',
    description: 'Tells the weather',
    inputSchema: parameters,
    outputSchema: { type: 'object', oneOf: expect.any(Array) },
    execution: { taskSupport: 'optional' },
  });
  expect(agents[0]?.inputSchema).toMatchObject({ required: ['message'] });
});

test('arguments are held against the parameters, and unknown, disabled and primary agents are unknown tools', async () => {
  const [client] = fixture.clients;
  const call = (name: string, args: object) =>
    client.callTool({ name, arguments: args as Record<string, unknown> }) as Promise<AnyJson>;
  const wrong = await call('agent_weather', { days: 12 });
  expect(wrong).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid_arguments' } } });
  expect(wrong.structuredContent.error.message).toBe('city: is required; days: must be <= 9');
  const typed = await call('agent_weather', { city: 'Oslo', days: 12 });
  expect(typed.structuredContent.error).toMatchObject({ code: 'invalid_arguments', field: 'days' });
  for (const name of ['agent_nobody', 'agent_asleep', 'agent_assistant', 'agent_', 'agent_X'])
    await expect(call(name, {})).rejects.toMatchObject({ code: -32602 });
  const foreign = await fixture.baton.addTenant('stranger');
  const stranger = await connectMcpClient(fixture.baton.url(), foreign);
  expect((await listTools(stranger)).agents).toEqual([]);
  await expect(stranger.callTool({ name: 'agent_weather', arguments: {} })).rejects.toMatchObject({
    code: -32602,
  });
  await stranger.close();
});

test('a change of an agent reaches every open session of the tenant, on every replica [agent-registers, tools-list-changed]', async () => {
  expect(fixture.clients[0].getServerCapabilities()?.tools).toEqual({ listChanged: true });
  const heard = await Promise.all(
    [0, 1, 1].map((at) =>
      connectNotifiedClient(fixture.baton.url(at), fixture.key, ToolListChangedNotificationSchema),
    ),
  );
  const changes: [string, () => Promise<unknown>, string[]][] = [
    [
      'enabled',
      () => fixture.rest('POST', '/agents/asleep/enable'),
      ['agent_asleep', 'agent_poet', 'agent_weather'],
    ],
    ['disabled', () => fixture.rest('POST', '/agents/asleep/disable'), ['agent_poet', 'agent_weather']],
    ['stored', () => putAgent(fixture, 'baker', {}, 1), ['agent_baker', 'agent_poet', 'agent_weather']],
    [
      'primary',
      () => fixture.rest('POST', '/agents/baker/primary'),
      ['agent_assistant', 'agent_poet', 'agent_weather'],
    ],
    ['deleted', () => fixture.rest('DELETE', '/agents/assistant'), ['agent_poet', 'agent_weather']],
  ];
  for (const [what, change, listed] of changes) {
    const all = Promise.all(heard.map(({ next }) => next()));
    await change();
    await all;
    for (const { client } of heard)
      expect([what, names((await listTools(client)).agents)]).toEqual([what, listed]);
  }
  await Promise.all(heard.map(({ client }) => client.close()));
});

test('tools are listed in pages, each once, in the order of the ids', async () => {
  const ids = Array.from({ length: 45 }, (_, n) => `many_${String(n).padStart(2, '0')}`);
  for (const id of ids) await putAgent(fixture, id, { enabled: !id.endsWith('5') });
  const { agents, others, pages } = await listTools(fixture.clients[1]);
  expect(pages).toBe(3);
  const listed = names(agents).filter((name) => name.startsWith('agent_many_'));
  expect(listed).toEqual(ids.filter((id) => !id.endsWith('5')).map((id) => `agent_${id}`));
  expect(new Set(names(others)).size).toBe(others.length);
  await expect(fixture.clients[0].listTools({ cursor: 'x' })).rejects.toMatchObject({ code: -32602 });
});
