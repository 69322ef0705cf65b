import { taskIdFromUuid } from '@baton/protocol';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { DEQUEUE, BEGIN_SEGMENTS } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, llmWait, type TestTenant } from '../testing/test-tenant.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder, redis, shard } = fixture;

const jobOf = (
  testTenant: TestTenant,
  number: number,
  list: 'ready' | 'held' = 'ready',
  tasks: string[] = [],
) => ({
  tenant: testTenant.store.id,
  list,
  number,
  tasks,
});
const open = async (testTenant: TestTenant, count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await testTenant.openTask({ waits: [], ready: true }));
  return ids;
};
const nextJob = () => recorder.last(DEQUEUE)[1];

test('a job takes at most sixteen tasks of its tenant, in the order in which they became ready, and requests the next job', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await open(testTenant, 20);
  expect(await shard.dequeue(jobOf(testTenant, 1), [])).toEqual({
    kind: 'taken',
    segments: [],
    notLoaded: ids.slice(0, 16),
    waitedMs: expect.any(Number),
  });
  expect(nextJob()).toBe('2 ready');
  expect(await shard.dequeue(jobOf(testTenant, 2), [])).toMatchObject({ notLoaded: ids.slice(16) });
  expect(nextJob(), 'nothing is left').toBe('');
  expect(await shard.dequeue(jobOf(testTenant, 3), [])).toEqual({
    kind: 'taken',
    segments: [],
    notLoaded: [],
  });
});

test('a job that runs again gets its own batch and nothing else, and no other job gets it meanwhile', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await open(testTenant, 4);
  const first = await shard.dequeue(jobOf(testTenant, 1), [], { limit: 2 });
  expect(first).toMatchObject({ kind: 'taken', notLoaded: ids.slice(0, 2) });
  const again = await shard.dequeue(jobOf(testTenant, 1), [], { limit: 2 });
  expect(again).toEqual({ kind: 'retried', notLoaded: ids.slice(0, 2) });
  expect(await shard.dequeue(jobOf(testTenant, 2), [])).toMatchObject({ notLoaded: ids.slice(2) });
});

test('a job that may take nothing new gets what is left of its batch', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await open(testTenant, 3);
  await shard.dequeue(jobOf(testTenant, 1), [], { limit: 2 });
  const { segments } = await shard.load(testTenant.store.id, 1, ids.slice(0, 2));
  await segments[0]!.settle({ status: 'completed', result: {} });
  const look = () => shard.dequeue(jobOf(testTenant, 1), [], { fresh: false });
  expect(await look()).toEqual({ kind: 'retried', notLoaded: [ids[1]] });
  await segments[1]!.settle({ status: 'completed', result: {} });
  expect(await look()).toEqual({ kind: 'taken', segments: [], notLoaded: [] });
  expect(await testTenant.queueState(ids[2]!)).toBe('ready');
});

test('a task that is named by its job is loaded by the same script, with its journal, behind a new fence', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  await testTenant.answer(taskId, 1, { text: '"é\\u0000\u{1F600}"' });
  const batch = await shard.dequeue(jobOf(testTenant, 1, 'ready', [taskId]), []);
  if (batch.kind !== 'taken') throw new Error(batch.kind);
  const [segment] = batch.segments;
  expect(segment).toMatchObject({ taskId, job: 1, tenant: testTenant.store.id });
  expect(segment!.task.journal.get('0')).toBe('llm+"é\\u0000\u{1F600}"');
  expect(await segment!.settle({ status: 'completed', result: {} })).toBe('settled');
});

test('a job that names what is not in its batch loads nothing of it', async () => {
  const testTenant = await fixture.createTenant();
  const parked = await testTenant.openTask();
  const [ready] = await open(testTenant, 1);
  const batch = await shard.dequeue(jobOf(testTenant, 1, 'ready', [parked]), []);
  expect(batch).toMatchObject({ kind: 'taken', segments: [], notLoaded: [ready] });
  expect((await shard.load(testTenant.store.id, 1, [parked])).segments).toEqual([]);
  expect((await shard.load(testTenant.store.id, 2, [ready!])).segments, 'of another job').toEqual([]);
  expect((await testTenant.readRecord(parked))['fe']).toBeUndefined();
});

test.each(['cancelled', 'gone'])('a task that is %s leaves the batch when it is loaded', async (how) => {
  const testTenant = await fixture.createTenant();
  const [first, other] = await open(testTenant, 2);
  await shard.dequeue(jobOf(testTenant, 1), []);
  if (how === 'cancelled') await testTenant.tasks.cancel(ANN, first!);
  else await redis.del(testTenant.keys.task(first!));
  const { segments } = await shard.load(testTenant.store.id, 1, [first!, other!]);
  expect(segments.map(({ taskId }) => taskId)).toEqual([other]);
  expect(await redis.hget(testTenant.keys.jobs, '1')).toBe(taskRef(other!));
});

test('a ref without a task blocks no job, and leaves the batch', async () => {
  const testTenant = await fixture.createTenant();
  await redis.zadd(testTenant.keys.ready, 0, taskRef(taskIdFromUuid(randomUUID())));
  const [taskId] = await open(testTenant, 1);
  const batch = await shard.dequeue(jobOf(testTenant, 1), []);
  if (batch.kind === 'no_program') throw new Error(batch.kind);
  const { segments } = await shard.load(testTenant.store.id, 1, batch.notLoaded);
  expect(segments.map((segment) => segment.taskId)).toEqual([taskId]);
  expect(await redis.hget(testTenant.keys.jobs, '1')).toBe(taskRef(taskId!));
});

test('each task is in the batch of one of many concurrent jobs, never of two', async () => {
  const testTenant = await fixture.createTenant();
  const opened = await open(testTenant, 40);
  const batches = await Promise.all(
    Array.from({ length: 20 }, (_, n) => shard.dequeue(jobOf(testTenant, n + 1), [], { limit: 3 })),
  );
  const ids = batches.flatMap((batch) => (batch.kind === 'taken' ? batch.notLoaded : []));
  expect(ids).toHaveLength(40);
  expect(new Set(ids)).toEqual(new Set(opened));
});

test('a journal of some thousand entries is loaded whole, and large tasks are loaded one at a time', async () => {
  const testTenant = await fixture.createTenant();
  const journal = Array.from({ length: 2_500 }, (_, at) => [`${at}`, `read+${at}`] as const);
  await testTenant.openTask({ journal, waits: [], ready: true });
  expect((await fixture.loadSegment()).task.journal.get('2499')).toBe('read+2499');
  const large = [['0', `read+"${'x'.repeat(1_500_000)}"`]] as const;
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await testTenant.openTask({ journal: large, waits: [], ready: true }));
  await shard.dequeue(jobOf(testTenant, 9), []);
  for (const [at, taskId] of ids.entries()) {
    const { segments, notLoaded } = await shard.load(testTenant.store.id, 9, ids.slice(at));
    expect(segments.map((segment) => segment.taskId)).toEqual([taskId]);
    expect(segments[0]?.task.journal.get('0')).toHaveLength(1_500_007);
    expect(notLoaded).toEqual(ids.slice(at + 1));
  }
});

test('tries counts the segments that were begun and never ended, and begins anew when one parks', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ ready: true });
  for (let tries = 1; tries <= 3; tries++) {
    expect((await fixture.loadSegment()).task.tries).toBe(tries);
    await fixture.loseJobs(testTenant);
  }
  expect(await (await fixture.loadSegment()).park({ journal: [], drops: [], waits: [] })).toBe('parked');
  await testTenant.answer(taskId);
  expect((await fixture.loadSegment()).task.tries).toBe(1);
});

test('the tasks of a batch that is run again come in the order of their tries, the least tried first', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await open(testTenant, 3);
  await shard.dequeue(jobOf(testTenant, 1), []);
  await shard.load(testTenant.store.id, 1, [ids[0]!]);
  await shard.load(testTenant.store.id, 1, [ids[0]!, ids[1]!]);
  expect(await shard.dequeue(jobOf(testTenant, 1), [])).toEqual({
    kind: 'retried',
    notLoaded: [ids[2], ids[1], ids[0]],
  });
});

test('two jobs of a tenant run at once for each live worker; the third is requested when one of them has ended', async () => {
  const testTenant = await fixture.createTenant();
  const ids = await open(testTenant, 4);
  await shard.dequeue(jobOf(testTenant, 1), [], { limit: 1 });
  expect(nextJob()).toBe('2 ready');
  await shard.dequeue(jobOf(testTenant, 2), [], { limit: 1 });
  expect(nextJob(), 'two run').toBe('');
  const [third] = await open(testTenant, 1);
  expect(await redis.hget(testTenant.keys.jobs, 'ready')).toBeNull();
  const { segments } = await shard.load(testTenant.store.id, 1, [ids[0]!]);
  await segments[0]!.settle({ status: 'completed', result: {} });
  expect(await redis.hget(testTenant.keys.jobs, 'ready')).toBe('3');
  await shard.workers.heartbeat('one', []);
  await shard.workers.heartbeat('two', []);
  for (const number of [3, 4, 5]) await shard.dequeue(jobOf(testTenant, number), [], { limit: 1 });
  expect(await testTenant.queueState(third!)).toBe('batch');
});

test("a tenant's lists have one job each that has not begun, however many join", async () => {
  const testTenant = await fixture.createTenant();
  await open(testTenant, 50);
  expect(await redis.hgetall(testTenant.keys.jobs)).toEqual({ ready: '1', next: '1' });
  expect((await redis.keys('*:bull:resume:*.1')).length).toBe(1);
});

test("a held task is taken only by a worker that has its program; another gets 'lacking'", async () => {
  const testTenant = await fixture.createTenant();
  const [one, two] = await open(testTenant, 2);
  await redis.hset(testTenant.keys.task(two!), 'op', 'other 7');
  await shard.dequeue(jobOf(testTenant, 10), []);
  for (const segment of (await shard.load(testTenant.store.id, 10, [one!, two!])).segments)
    expect(await segment.holdForProgram()).toBe('held');
  expect(await testTenant.queueState(one!)).toBe('held');
  const number = Number(await redis.hget(testTenant.keys.jobs, 'held'));
  const job = jobOf(testTenant, number, 'held');
  expect(await shard.dequeue(job, ['echo 11', 'ech 1'])).toEqual({ kind: 'no_program' });
  expect(await redis.hget(testTenant.keys.jobs, 'held'), 'it is still to begin').toBe(String(number));
  expect(await shard.dequeue(job, ['echo 1'])).toMatchObject({ kind: 'taken', notLoaded: [one] });
  expect(nextJob(), 'for the other').toBe(`${number + 1} held`);
  const rest = jobOf(testTenant, number + 1, 'held');
  expect(await shard.dequeue(rest, ['echo 1', 'other 7'])).toMatchObject({ notLoaded: [two] });
  expect(recorder.replies(BEGIN_SEGMENTS).length).toBeGreaterThan(0);
});

test('an answer to a task that is held leaves it where it is', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [llmWait('0'), llmWait('1')] });
  await testTenant.answer(taskId, 1);
  await (await fixture.loadSegment()).holdForProgram();
  await testTenant.answer(taskId, 2);
  expect(await testTenant.queueState(taskId)).toBe('held');
});

test('every code of DEQUEUE was reached', () => {
  expect(recorder.codes(DEQUEUE)).toEqual(documentedReplyCodes(DEQUEUE));
});
