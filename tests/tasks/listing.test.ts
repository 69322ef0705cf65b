import { randomSeed } from '@baton/protocol/testing/random-seed';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { TaskFixture } from './task-fixture.ts';

/** `tasks/list` has what `tasks/get` shows its caller, and nothing of another. */
let fixture: TaskFixture;
let bob: string;
let agent: string;
let stranger: string;
beforeAll(async () => {
  fixture = await TaskFixture.start();
  bob = await fixture.baton.createKey({ principal: 'bob' });
  agent = await fixture.baton.createKey({ scopes: ['agent'], principal: 'agent' });
  stranger = await fixture.baton.addTenant('strangers');
});
afterAll(() => fixture?.stop());

/** Tasks of a key, started by plain calls. */
async function startTasks(key: string, count: number): Promise<string[]> {
  const client = await connectMcpClient(fixture.baton.url(), key);
  const tasks: string[] = [];
  for (let at = 0; at < count; at++) tasks.push((await callTool(client, 'bench_echo', { text: 'x' })).taskId);
  await client.close();
  return tasks;
}

/** All pages, each read at another replica than the one before; `between` runs after each. */
async function listAll(key: string, between: () => Promise<unknown> = async () => {}) {
  const found: { taskId: string; status: string }[] = [];
  let pages = 0;
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tasks, nextCursor } = await fixture.result('tasks/list', params, { at: pages % 2, key });
    found.push(...tasks);
    cursor = nextCursor;
    await between();
  }
  return { found, ids: found.map(({ taskId }) => taskId), pages };
}

test(`pages have every task once, while tasks end and others are opened, and none of others, FC_SEED=${randomSeed} [tasks-list, tasks-tenancy]`, async () => {
  const random = seededRandom(`pages ${randomSeed}`);
  const [own, others] = await Promise.all([startTasks(fixture.key, 130), startTasks(bob, 60)]);
  const { ids, pages } = await listAll(fixture.key, async () => {
    for (let at = 0; at < 10; at++) {
      const params = { taskId: random.pick(own) };
      await fixture.rpc('tasks/cancel', params, { at: random.below(2) });
    }
    await startTasks(fixture.key, 1);
  });
  expect(pages).toBeGreaterThan(2);
  expect(ids).toEqual(own.toReversed());

  const mine = await listAll(fixture.key);
  for (const { taskId, status } of mine.found.slice(0, 20))
    expect((await fixture.result('tasks/get', { taskId })).status).toBe(status);
  expect(new Set(mine.found.map(({ status }) => status))).toEqual(new Set(['input_required', 'cancelled']));
  expect((await listAll(bob)).ids).toEqual(others.toReversed());
  expect((await listAll(stranger)).ids).toEqual([]);
  // The scope `agent` sees its tenant's, as task_status has it.
  const all = new Set((await listAll(agent)).ids);
  expect([...own, ...others].filter((taskId) => !all.has(taskId))).toEqual([]);
  expect(all.size).toBe(new Set([...mine.ids, ...others]).size);
}, 120_000);

test('a task in a list is what tasks/get tells, but for its message [tasks-list]', async () => {
  const taskId = await fixture.workflowTask();
  const { tasks } = await fixture.result('tasks/list');
  const { statusMessage: _, ...told } = await fixture.result('tasks/get', { taskId });
  const { statusMessage: __, ...listed } = tasks.find((one: { taskId: string }) => one.taskId === taskId);
  expect(listed).toEqual(told);
  const { tasks: typed } = await fixture.clients[1].experimental.tasks.listTasks();
  expect(typed.map((one) => one.taskId)).toContain(taskId);
});

test('a cursor that was not given out, or to another, is refused naming it [tasks-list]', async () => {
  await startTasks(bob, 60);
  const { nextCursor } = await fixture.result('tasks/list', {}, { key: bob });
  for (const cursor of ['x', '', nextCursor, `${nextCursor}A`, '\u0000', 'A'.repeat(5_000)]) {
    const { code, message } = await fixture.error('tasks/list', { cursor });
    expect([cursor, code, message.includes('cursor')]).toEqual([cursor, -32602, true]);
  }
  for (const cursor of [7, [], {}]) {
    const { code, message } = await fixture.error('tasks/list', { cursor });
    expect([cursor, code, message.includes('params.cursor')]).toEqual([cursor, -32602, true]);
  }
});
