import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, successAnswer } from '../harness/mcp-client.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';
import { ENVELOPE, requestOf2026 } from './client-of-2026.ts';
import { connectSamplingClient, sampled } from './sampling-client.ts';

/** `prompts/get` of a workflow whose steps delegate, to clients that are asked within their calls. */
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await fixture.put('chain', [
    { name: 'first', tool: 'bench_echo', arguments: { text: 'one' } },
    { name: 'both', tool: 'bench_fan', arguments: { n: 2 } },
    { name: 'last', tool: 'bench_echo', arguments: { text: '{{steps.first.value}}' } },
  ]);
});
afterAll(async () => fixture?.stop());

const META = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } };
let turn = 0;
const get = async (params: AnyJson, key = fixture.key): Promise<AnyJson> => {
  const url = fixture.baton.url(turn++ % 2);
  return (await requestOf2026(url, key, 'prompts/get', { name: 'chain', ...params }, { meta: META })).body;
};
const keysOf = ({ result }: AnyJson): string[] => Object.keys(result.inputRequests ?? {});
const answer = ({ result }: AnyJson, value: string) => ({
  requestState: result.requestState,
  inputResponses: Object.fromEntries(keysOf({ result }).map((key) => [key, sampled({ value })])),
});
const lastText = ({ result }: AnyJson): string => result.messages.at(-1).content.text;

test('the official client runs all of a workflow whose every step delegates, without affinity', async () => {
  const proxy = await RoundRobinProxy.start(() => [fixture.baton.url(0), fixture.baton.url(1)]);
  const asked: string[] = [];
  const client = await connectSamplingClient(proxy.url, fixture.key, 'auto', ({ messages }) => {
    asked.push(messages[0].content.text);
    return sampled({ value: `answer ${asked.length}` });
  });
  const run: AnyJson = await client.getPrompt({ name: 'chain' });
  expect(asked).toEqual(['one', 'Give a value for branch 0.', 'Give a value for branch 1.', 'answer 1']);
  expect(run._meta).toMatchObject({ task_status: 'completed' });
  await client.close();
  await proxy.stop();
});

test('each step asks in its turn; a turn that is repeated gives the turn that it is now, and the end stays', async () => {
  const first = await get({});
  expect(first.result.resultType).toBe('input_required');
  const one = answer(first, 'one');
  const second = await get(one);
  expect(keysOf(second).length).toBe(2);
  const [key = ''] = keysOf(second);
  const half = await get({ ...answer(second, 'x'), inputResponses: { [key]: sampled({ value: 'x' }) } });
  expect(keysOf(half)).toEqual(keysOf(second).slice(1));
  const third = await get(answer(half, 'two'));
  expect(keysOf(third).length).toBe(1);
  expect(keysOf(await get(one))).toEqual(keysOf(third));
  const end = await get(answer(third, 'three'));
  expect(end.result).toMatchObject({ resultType: 'complete', _meta: { task_status: 'completed' } });
  const again = await get(answer(third, 'three'));
  expect(again.result.messages.slice(0, -1)).toEqual(end.result.messages.slice(0, -1));
  expect(again.result._meta).toEqual(end.result._meta);
  const other = await get(answer(third, 'four'));
  expect(other.error).toMatchObject({ code: -32602, data: { code: 'interaction_already_answered' } });
});

test('the workflow may be done by hand meanwhile, and a client without sampling is handed off to', async () => {
  const asked = await get({});
  const [interactionId] = keysOf(asked);
  const given = { interactionId, agentLLMResponse: successAnswer({ object: { value: 'by hand' } }) };
  await callTool(fixture.clients[1], 'agent_llm', given);
  expect(keysOf(await get({ requestState: asked.result.requestState })).length).toBe(2);
  const { texts } = await fixture.run('chain');
  expect(texts.at(-1)).toContain('make these tool calls');
});

test('a requestState is of this prompt, its arguments and its principal', async () => {
  const asked = await get({});
  const bob = await fixture.baton.createKey({ principal: 'bob' });
  await fixture.put('other', [{ name: 'a', tool: 'bench_echo', arguments: { text: 'a' } }]);
  for (const refused of [
    await get(answer(asked, 'x'), bob),
    await get({ ...answer(asked, 'x'), name: 'other' }),
    await get({ ...answer(asked, 'x'), arguments: { more: 'x' } }),
  ])
    expect(refused.error).toMatchObject({ code: -32602, data: { field: 'requestState' } });
});

test('a step whose task fails hands off as it does to every client', async () => {
  await fixture.put('poisoned', [
    { name: 'bad', tool: 'bench_poison', arguments: { text: 'a' } },
    { name: 'after', tool: 'list_tags' },
  ]);
  const asked = await get({ name: 'poisoned' });
  const failed = await get({ name: 'poisoned', ...answer(asked, 'x') });
  expect(lastText(failed)).toContain('bench_poison');
  expect(failed.result._meta.task_status).toBe('working');
});

test('a call that a client makes for a workflow says what became of it there', async () => {
  await fixture.put('by_client', [
    { name: 'gone', tool: 'get_task', arguments: { id: 77 } },
    { name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } },
  ]);
  const { taskId } = await fixture.run('by_client');
  const call = { name: 'bench_echo', arguments: { text: 'b' }, _meta: { _task_id: taskId } };
  const url = fixture.baton.url();
  const send = async (params: AnyJson) =>
    (await requestOf2026(url, fixture.key, 'tools/call', { ...call, ...params }, { meta: META })).body;
  const asked = await send({});
  expect(asked.result).toMatchObject({
    resultType: 'input_required',
    _meta: { 'baton/continuation': { recorded: true, step: 'echo' } },
  });
  expect((await send(answer(asked, 'x'))).result.resultType).toBe('complete');
  const { variables } = await fixture.status(taskId);
  expect(variables['_workflow.progress'].steps[1]).toMatchObject({ status: 'completed', source: 'client' });
});
