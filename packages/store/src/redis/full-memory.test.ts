import { formatInteractionId, WORKFLOW_OPERATION } from '@baton/protocol';
import { expect, test } from 'vitest';
import type { MemoryReserve } from './memory-reserve.ts';
import { Store } from '../store.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, llmWait, errorCode, type TestTenant } from '../testing/test-tenant.ts';
import { ALL_SCRIPTS } from '../testing/all-scripts.ts';

/** Redis full under noeviction: what comes in is refused, what is in goes on to its end. */
const fixture = await openFixture();
const { redis } = fixture;

async function whileFull<T>(body: () => Promise<T>): Promise<T> {
  await redis.config('SET', 'maxmemory', 1);
  try {
    return await body();
  } finally {
    await redis.config('SET', 'maxmemory', 0);
    const { memoryReserve } = fixture.connection as unknown as { memoryReserve: MemoryReserve };
    await memoryReserve.refresh();
  }
}

const nothing = { journal: [], drops: [], waits: [] };
const change = { set: [['t:1', '{}'] as const], delete: [] };

test('only the scripts by which content comes in are refused when Redis is full', () => {
  const refused = [...ALL_SCRIPTS.values()].filter(
    (script) => !/^#!lua flags=\S*allow-oom\n/.test(script.source),
  );
  expect(refused.map((script) => script.name).sort()).toEqual([
    'conversation/end_turn',
    'definition/put_definition',
    'interaction/accept_answer',
    'interaction/append_chunk',
    'project/commit',
    'project/stage_change',
    'provider/answer_call',
    'provider/append_call_chunk',
    'session/set_log_level',
    'session/subscribe',
    'task/open',
    'task/park',
    'task/retry',
    'tenant/create_key',
    'usage/put_prices',
    'workflow/complete_workflow',
    'workflow/record_progress',
  ]);
});

test.each<[string, (testTenant: TestTenant, taskId: string) => Promise<unknown>]>([
  ['a new task', (testTenant) => testTenant.openTask()],
  ['an answer', (testTenant, taskId) => testTenant.answer(taskId)],
  [
    'a chunk of an answer',
    async (testTenant, taskId) =>
      testTenant.interactions.appendChunk(await testTenant.caller(), {
        interactionId: formatInteractionId(taskId, 1),
        sequence: 0,
        delta: 'x',
      }),
  ],
  ['a change of a project', (testTenant) => testTenant.store.projects.commit('p', undefined, change)],
])('%s is refused, nothing is changed, and it is taken when there is room', async (_what, call) => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const before = await fixture.contents();
  const refused = await whileFull(() => call(testTenant, taskId).catch((error: unknown) => error));
  expect(refused).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/memory is full.*Nothing was changed/),
    details: { taken: false },
  });
  expect(await fixture.contents()).toEqual(before);
  expect(await errorCode(call(testTenant, taskId))).toBe('done');
});

test('the result of a workflow is refused while Redis is full, its cancellation is not', async () => {
  const testTenant = await fixture.createTenant();
  const open = () => testTenant.openTask({ operation: WORKFLOW_OPERATION, waits: [] });
  const [ended, cancelled] = [await open(), await open()];
  const complete = () => errorCode(testTenant.store.workflowTasks.complete(ANN, ended, { text: 'yes' }));
  await whileFull(async () => {
    expect(await complete()).toBe('unavailable');
    await testTenant.tasks.cancel(ANN, cancelled);
  });
  expect(await complete()).toBe('done');
});

test('a task that was answered before Redis was full ends while it is', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await testTenant.answer(taskId);
  await whileFull(async () => {
    await (await fixture.loadSegment()).settle({ status: 'completed', result: { text: 'yes' } });
    expect(await testTenant.tasks.read(ANN, taskId, 'inbox')).toMatchObject({ status: 'completed' });
  });
});

test('a task is cancelled, seen, listed, extended and expired in a full Redis', async () => {
  const testTenant = await fixture.createTenant();
  const [cancelled, other] = [
    await testTenant.openTask(),
    await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] }),
  ];
  const late = await testTenant.withLifetimes({ task: 0 }).openTask();
  await whileFull(async () => {
    await (await testTenant.caller()).admit(['mcp']);
    await (await testTenant.caller()).recheck(['mcp']);
    await testTenant.tasks.cancel(ANN, cancelled);
    await testTenant.interactions.cancel(ANN, formatInteractionId(other, 2));
    await testTenant.interactions.extend(ANN, formatInteractionId(other, 1), 60_000);
    expect((await testTenant.store.queries.pending.records(ANN, {})).items).toHaveLength(2);
    await fixture.operators.update(testTenant.store.id, { suspended: true });
    await fixture.sweep();
    expect(await testTenant.tasks.read(ANN, late)).toMatchObject({
      status: 'failed',
      error: { code: 'task_expired' },
    });
  });
});

test('a segment that cannot park is put back as often as it takes, and its tries do not count', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true });
  await whileFull(async () => {
    for (let time = 0; time < 20; time++) {
      const segment = await fixture.loadSegment();
      expect(segment.task.tries).toBe(1);
      expect(await errorCode(segment.park(nothing))).toBe('unavailable');
      expect(await segment.release()).toBe('released');
      await fixture.loseJobs(testTenant);
    }
  });
  expect(await (await fixture.loadSegment()).park(nothing)).toBe('parked');
  expect((await testTenant.readRecord(taskId))['tr']).toBe('0');
});

test('a process starts while Redis is full, unless it is the first of all', async () => {
  const options = { url: fixture.url, secret: 'pepper', replica: 'late' };
  expect(await errorCode(whileFull(() => Store.open(options)))).toBe('unavailable');
  await (await Store.open(options)).close();
  await whileFull(async () => {
    const late = await Store.open(options);
    await late.ping();
    await late.close();
  });
});

test('what a lost job had is ready again in a full Redis too', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true });
  await fixture.loadSegment();
  await whileFull(async () => {
    await fixture.loseJobs(testTenant);
    expect((await fixture.loadSegment()).taskId).toBe(taskId);
  });
});
