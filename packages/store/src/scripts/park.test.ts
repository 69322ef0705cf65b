import { taskRef } from '../records/keys.ts';
import { expect, test } from 'vitest';
import { OversizedRequestError } from '../records/oversized-request-error.ts';
import { PARK, SETTLE } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, llmWait, type TestTenant, sleepWait } from '../testing/test-tenant.ts';
import { openWorkflowOf, recordedEnd } from '../testing/workflow-step.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';
import type { FencedSegment } from '../tasks/fenced-segment.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

const nothing = { journal: [], drops: [], waits: [] };

/** A task whose first answer has come, and the segment that takes it up. */
async function running(
  testTenant: TestTenant,
  waits = [llmWait('0'), llmWait('1')],
): Promise<{ taskId: string; segment: FencedSegment }> {
  const taskId = await testTenant.openTask({
    waits,
    journal: [
      ['8', 'read+1'],
      ['8.1', 'read+2'],
    ],
  });
  await testTenant.answer(taskId, 1);
  return { taskId, segment: await fixture.loadSegment() };
}

test('a segment loads what a replay needs: the journal and what is open, never requests or chunks', async () => {
  const testTenant = await fixture.createTenant();
  const { segment, taskId } = await running(testTenant);
  expect(segment).toMatchObject({ taskId, tenant: testTenant.store.id });
  expect(segment.task).toEqual({
    operation: 'echo',
    version: 1,
    input: {},
    principal: 'ann',
    parent: '',
    traceparent: '',
    journal: new Map([
      ['8', 'read+1'],
      ['8.1', 'read+2'],
      ['0', 'llm+"yes"'],
    ]),
    open: new Set(['1']),
    seen: '1',
    interactions: 2,
    tries: 1,
    toRewind: false,
  });
});

test('a large task that no event has met parks, and does not run again at once', async () => {
  const testTenant = await fixture.createTenant();
  await testTenant.openTask({ waits: [], ready: true, input: { document: 'x'.repeat(200_000) } });
  const segment = await fixture.loadSegment();
  expect(segment.task.seen).toBe('0');
  expect(await segment.park({ ...nothing, waits: [llmWait('0')] })).toBe('parked');
});

test('PARK writes the journal, drops what collapsed, opens what is awaited, and leaves the batch', async () => {
  const testTenant = await fixture.createTenant();
  const { taskId, segment } = await running(testTenant);
  const waits = [llmWait('2'), sleepWait('3', 50_000)];
  expect(await segment.park({ journal: [['8', 'branch+3']], drops: ['8.1', '0'], waits })).toBe('parked');
  const record = await testTenant.readRecord(taskId);
  expect(Object.keys(record).filter((field) => field.startsWith('j:'))).toEqual(['j:8']);
  expect(record).toMatchObject({ 'j:8': 'branch+3', st: 'input_required', se: '1', sq: '3' });
  expect(record['tr'], 'the tries begin anew').toBe('0');
  const ref = taskRef(taskId);
  expect(await redis.zrange(testTenant.keys.pending, '0', '-1')).toEqual([`${ref}.2|ann`, `${ref}.3|ann`]);
  expect(Number(await redis.zscore(testTenant.keys.deadlines, ref))).toBe(Number(record['up']) + 50_000);
  expect(await testTenant.queueState(taskId)).toBeUndefined();
});

test('PARK keeps what it was given when it says "again", and the task stays in the batch', async () => {
  const testTenant = await fixture.createTenant();
  const { taskId, segment } = await running(testTenant);
  await testTenant.answer(taskId, 2);
  expect(await segment.park({ ...nothing, journal: [['9', 'check+1']], waits: [llmWait('2')] })).toBe(
    'again',
  );
  expect(await testTenant.queueState(taskId)).toBe('batch');
  const again = await fixture.shard.reload(segment);
  expect([...again!.task.journal.keys()].sort()).toEqual(['0', '1', '8', '8.1', '9']);
  expect(again!.task.open).toEqual(new Set(['2']));
  expect(await segment.park(nothing), 'the first fence is void').toBe('stale');
  expect(await again!.park(nothing)).toBe('parked');
});

test.each(['an expiry', 'a cancelled interaction', "a sleep's end"])(
  '%s while a segment runs makes PARK say "again"',
  async (which) => {
    const testTenant = await fixture.createTenant();
    const brief = which === 'an expiry' ? testTenant.withLifetimes({ interaction: 0 }) : testTenant;
    const taskId = await brief.openTask({
      waits: [which === "a sleep's end" ? sleepWait('0', 0) : llmWait('0')],
      ready: true,
    });
    const segment = await fixture.loadSegment();
    if (which === 'a cancelled interaction') {
      await testTenant.interactions.cancel(ANN, `${taskId.slice(0, -1)}1`);
    } else await fixture.sweep();
    expect(await testTenant.queueState(taskId)).toBe('batch');
    expect(await segment.park(nothing)).toBe('again');
    expect((await fixture.shard.reload(segment))!.task.journal.has('0')).toBe(true);
  },
);

/** What makes a segment's fence stale. */
const LOSSES: Record<string, (testTenant: TestTenant, segment: FencedSegment) => Promise<unknown>> = {
  'its job was lost and another took the task': async (testTenant) => {
    await fixture.loseJobs(testTenant);
    await fixture.loadSegment();
  },
  'the task was loaded again': (_guest, segment) => fixture.shard.reload(segment),
  'the task was cancelled': (testTenant, segment) => testTenant.tasks.cancel(ANN, segment.taskId),
  'the task was settled': (_guest, segment) => segment.settle({ status: 'completed', result: {} }),
  'the task is gone': (testTenant, segment) => redis.del(testTenant.keys.task(segment.taskId)),
};

const WRITES: Record<string, (segment: FencedSegment) => Promise<unknown>> = {
  park: (segment) =>
    segment.park({ journal: [['9', 'check+1']], drops: ['8'], waits: [llmWait('5'), sleepWait('6', 1)] }),
  settle: (segment) => segment.settle({ status: 'failed', error: { code: 'internal', message: 'late' } }),
  commit: (segment) =>
    segment.commit(
      'p',
      undefined,
      { set: [['t', '1']], delete: ['u'] },
      { path: '7', entry: 'commit+1', journal: [['9', 'read+1']] },
    ),
  release: (segment) => segment.release(),
  hold: (segment) => segment.holdForProgram(),
};

const CASES = Object.keys(LOSSES).flatMap((loss) =>
  Object.keys(WRITES).map((write) => [loss, write] as const),
);

test.each(CASES)('when %s, a late %s writes nothing at all', async (loss, write) => {
  const testTenant = await fixture.createTenant();
  const { segment } = await running(testTenant);
  await LOSSES[loss]!(testTenant, segment);
  const before = await fixture.contents();
  expect(await WRITES[write]!(segment)).toBe('stale');
  expect(await fixture.contents()).toEqual(before);
});

test('SETTLE ends the task and leaves it in no set but the index of tasks', async () => {
  const testTenant = await fixture.createTenant();
  const { taskId, segment } = await running(testTenant, [llmWait('0'), llmWait('1'), sleepWait('2', 9_000)]);
  expect(await segment.settle({ status: 'completed', result: { tasks: [1] } })).toBe('settled');
  const record = await testTenant.readRecord(taskId);
  expect(record).toMatchObject({ st: 'completed', rs: '{"tasks":[1]}' });
  expect(record['open']).toBe('');
  expect(record['x2']).toMatch(/^cancelled;\d+$/);
  for (const key of [
    testTenant.keys.ready,
    testTenant.keys.deadlines,
    testTenant.keys.pending,
    testTenant.keys.claims,
  ])
    expect(await redis.zcard(key)).toBe(0);
  expect(await testTenant.queueState(taskId)).toBeUndefined();
  expect(await redis.zcard(testTenant.keys.tasks)).toBe(1);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('0');
  expect(await testTenant.tasks.read(ANN, taskId)).toMatchObject({
    status: 'completed',
    result: { tasks: [1] },
  });
});

test.each(['settle', 'park'] as const)(
  'a segment whose task was given back and not yet taken may still %s',
  async (how) => {
    const testTenant = await fixture.createTenant();
    const { taskId, segment } = await running(testTenant);
    await fixture.loseJobs(testTenant);
    expect(await testTenant.queueState(taskId)).toBe('ready');
    if (how === 'park') expect(await segment.park(nothing)).toBe('parked');
    else expect(await segment.settle({ status: 'completed', result: {} })).toBe('settled');
    expect(await testTenant.queueState(taskId)).toBeUndefined();
    expect(await fixture.loadSegments(10), 'and nobody runs it again').toEqual([]);
  },
);

test('PARK refuses a request over delegatedRequestBytes by its path, writes nothing, and takes the rest from the same holder', async () => {
  const testTenant = await fixture.createTenant({ delegatedRequestBytes: 300 });
  const { segment } = await running(testTenant);
  const before = await fixture.contents();
  const waits = [llmWait('2'), llmWait('3', 'long '.repeat(60)), sleepWait('4', 1_000)];
  const refused = await segment
    .park({ journal: [['9', 'check+1']], drops: ['0'], waits })
    .catch((error) => error);
  expect(refused).toBeInstanceOf(OversizedRequestError);
  expect(refused).toMatchObject({ code: 'limit_size', path: '3' });
  const bytes = JSON.stringify((waits[1] as { request: object }).request).length;
  expect(refused.details).toEqual({ limit: 'delegatedRequestBytes', bytes, most: 300 });
  expect(await fixture.contents()).toEqual(before);
  expect(await segment.park({ ...nothing, waits: [llmWait('2'), sleepWait('4', 1_000)] })).toBe('parked');
});

test('a request of exactly the limit is opened', async () => {
  const wait = llmWait('2');
  const { length } = JSON.stringify((wait as { request: object }).request);
  const exact = await fixture.createTenant({ delegatedRequestBytes: length });
  const { segment } = await running(exact, [llmWait('0')]);
  expect(await segment.park({ ...nothing, waits: [wait] })).toBe('parked');
});

test('a task that was accepted may go on above the limit by a quarter, and is told when there is no room', async () => {
  const testTenant = await fixture.createTenant();
  const { segment } = await running(testTenant, [llmWait('0')]);
  const used = Number(await redis.hget(testTenant.keys.tenant, 'stored'));
  const parkUnder = async (storedBytes: number) => {
    await fixture.operators.update(testTenant.store.id, { limits: { storedBytes } });
    return segment.park({ ...nothing, waits: [llmWait('2')] }).catch(({ code }) => code);
  };
  expect(await parkUnder(Math.floor((used * 4) / 5))).toBe('limit_storage');
  expect(await parkUnder(Math.ceil(((used + 1_000) * 4) / 5))).toBe('parked');
});

test('a step that became one while its segment ran is told to its workflow too', async () => {
  const testTenant = await fixture.createTenant();
  const { taskId, segment } = await running(testTenant);
  const workflow = await openWorkflowOf(testTenant, taskId);
  expect(await segment.settle({ status: 'completed', result: { n: 1 } })).toBe('settled');
  expect(await recordedEnd(testTenant, workflow, taskId)).toMatchObject({ outcome: { n: 1 } });
});

test('every code of PARK and SETTLE was reached', () => {
  expect(recorder.codes(PARK)).toEqual(documentedReplyCodes(PARK));
  expect(recorder.codes(SETTLE)).toEqual(documentedReplyCodes(SETTLE));
});
