import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, successAnswer } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** What is left of a step whose task waits for another request than when the step was recorded. */
let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await fixture.put('echo', [{ name: 'ask', tool: 'bench_echo', arguments: { text: 'x' } }]);
  await fixture.put('fan', [{ name: 'ask', tool: 'bench_fan', arguments: { n: 3 } }]);
});
afterAll(() => fixture?.stop());

const answer = (interactionId: string, object: object): Promise<AnyJson> =>
  callTool(fixture.clients[1], 'agent_llm', { interactionId, agentLLMResponse: successAnswer({ object }) });
const callLeft = async (taskId: string): Promise<AnyJson> =>
  (await fixture.status(taskId, 1)).remaining[0].arguments;

test('it is the request that a rejected answer has opened, wherever it is read [workflow-child]', async () => {
  const { taskId } = await fixture.run('echo');
  const { interactionId } = await callLeft(taskId);
  const { outcome } = await answer(interactionId, { wrong: 1 });
  const open = { interactionId: outcome.pending.interactionId };
  expect(open.interactionId).not.toBe(interactionId);
  expect(await callLeft(taskId)).toMatchObject(open);
  const resource: AnyJson = await fixture.clients[0].readResource({ uri: `baton://tasks/${taskId}` });
  expect(JSON.parse(resource.contents[0].text).remaining[0].arguments).toMatchObject(open);
  await answer(open.interactionId, { value: 'an answer' });
  expect((await fixture.status(taskId)).remaining).toEqual([]);
});

test('of several requests it is one that nobody has answered [workflow-child]', async () => {
  const { taskId } = await fixture.run('fan');
  const seen: string[] = [];
  for (let left = 3; left > 0; left--) {
    const { interactionId } = await callLeft(taskId);
    expect(seen).not.toContain(interactionId);
    seen.push(interactionId);
    await answer(interactionId, { value: `answer ${left}` });
  }
  expect((await fixture.status(taskId)).variables['_workflow.result.ask']).toMatchObject({
    status: 'completed',
  });
});

test('resume_workflow tells it of a step behind the one at which it stops too [workflow-child]', async () => {
  await fixture.put('behind', [
    { name: 'failing', tool: 'get_task', arguments: { id: 77 } },
    { name: 'ask', tool: 'bench_echo' },
  ]);
  const { taskId } = await fixture.run('behind');
  const { interactionId } = (await fixture.continue(taskId, 'bench_echo', { text: 'x' })).structured;
  const { outcome } = await answer(interactionId, { wrong: 1 });
  const { remaining } = await callTool(fixture.clients[0], 'resume_workflow', { taskId });
  expect(remaining).toMatchObject([
    { name: 'failing' },
    { tool: 'agent_llm', arguments: { interactionId: outcome.pending.interactionId } },
  ]);
});

test('of more steps than are read it is task_status, which tells what they wait for [workflow-child]', async () => {
  const names = Array.from({ length: 22 }, (_, at) => `ask${at}`);
  await fixture.put('many', [
    { name: 'failing', tool: 'get_task', arguments: { id: 77 } },
    ...names.map((name) => ({ name, tool: 'bench_echo', arguments: { text: name } })),
  ]);
  const { taskId } = await fixture.run('many');
  for (const text of names) await fixture.continue(taskId, 'bench_echo', { text });
  const { remaining } = await fixture.status(taskId);
  expect(remaining.map(({ tool }: AnyJson) => tool)).toEqual([
    'get_task',
    ...Array.from({ length: 20 }, () => 'agent_llm'),
    'task_status',
    'task_status',
  ]);
  expect(remaining.at(-1).arguments.taskId).toBe(remaining.at(-1).taskId);
});
