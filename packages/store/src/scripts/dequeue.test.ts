import { taskIdFromUuid } from '@baton/protocol';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { DEQUEUE, LOAD_TASKS } from './registry.ts';
import { openFixture } from '../testing/fixture.ts';
import { ANN, llmWait, type TestTenant } from '../testing/test-tenant.ts';
import { documentedCodes } from '../testing/script-interceptor.ts';

const fixture = await openFixture();
const { interceptor, redis, shard } = fixture;

const jobOf = (
  guest: TestTenant,
  number: number,
  list: 'ready' | 'held' = 'ready',
  tasks: string[] = [],
) => ({
  tenant: guest.store.id,
  list,
  number,
  tasks,
});
const open = async (guest: TestTenant, count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await guest.openTask({ waits: [], ready: true }));
  return ids;
};
const nextJob = () => interceptor.last(DEQUEUE)[1];

test('a job takes at most sixteen tasks of its tenant, in the order in which they became ready, and requests the next job', async () => {
  const guest = await fixture.createTenant();
  const ids = await open(guest, 20);
  expect(await shard.dequeue(jobOf(guest, 1), [])).toEqual({
    kind: 'taken',
    leases: [],
    notLoaded: ids.slice(0, 16),
  });
  expect(nextJob()).toBe('2 ready');
  expect(await shard.dequeue(jobOf(guest, 2), [])).toMatchObject({ notLoaded: ids.slice(16) });
  expect(nextJob(), 'nothing is left').toBe('');
  expect(await shard.dequeue(jobOf(guest, 3), [])).toEqual({ kind: 'taken', leases: [], notLoaded: [] });
});

test('a job that runs again gets its own batch and nothing else, and no other job gets it meanwhile', async () => {
  const guest = await fixture.createTenant();
  const ids = await open(guest, 4);
  const first = await shard.dequeue(jobOf(guest, 1), [], { limit: 2 });
  expect(first).toMatchObject({ kind: 'taken', notLoaded: ids.slice(0, 2) });
  const again = await shard.dequeue(jobOf(guest, 1), [], { limit: 2 });
  expect(again).toEqual({ kind: 'retried', notLoaded: ids.slice(0, 2) });
  expect(await shard.dequeue(jobOf(guest, 2), [])).toMatchObject({ notLoaded: ids.slice(2) });
});

test('a job that may take nothing new gets what is left of its batch', async () => {
  const guest = await fixture.createTenant();
  const ids = await open(guest, 3);
  await shard.dequeue(jobOf(guest, 1), [], { limit: 2 });
  const { leases } = await shard.load(guest.store.id, 1, ids.slice(0, 2));
  await leases[0]!.settle({ status: 'completed', result: {} });
  const look = () => shard.dequeue(jobOf(guest, 1), [], { fresh: false });
  expect(await look()).toEqual({ kind: 'retried', notLoaded: [ids[1]] });
  await leases[1]!.settle({ status: 'completed', result: {} });
  expect(await look()).toEqual({ kind: 'taken', leases: [], notLoaded: [] });
  expect(await guest.queueState(ids[2]!)).toBe('ready');
});

test('a task that is named by its job is loaded by the same script, with its journal, behind a new fence', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask();
  await guest.answer(taskId, 1, { text: '"é\\u0000\u{1F600}"' });
  const batch = await shard.dequeue(jobOf(guest, 1, 'ready', [taskId]), []);
  if (batch.kind !== 'taken') throw new Error(batch.kind);
  const [segment] = batch.leases;
  expect(segment).toMatchObject({ taskId, job: 1, tenant: guest.store.id });
  expect(segment!.task.journal.get('0')).toBe('llm+"é\\u0000\u{1F600}"');
  expect(await segment!.settle({ status: 'completed', result: {} })).toBe('settled');
});

test('a job that names what is not in its batch loads nothing of it', async () => {
  const guest = await fixture.createTenant();
  const parked = await guest.openTask();
  const [ready] = await open(guest, 1);
  const batch = await shard.dequeue(jobOf(guest, 1, 'ready', [parked]), []);
  expect(batch).toEqual({ kind: 'taken', leases: [], notLoaded: [ready] });
  expect((await shard.load(guest.store.id, 1, [parked])).leases).toEqual([]);
  expect((await shard.load(guest.store.id, 2, [ready!])).leases, 'of another job').toEqual([]);
  expect((await guest.readRecord(parked))['fe']).toBeUndefined();
});

test.each(['cancelled', 'gone'])('a task that is %s leaves the batch when it is loaded', async (how) => {
  const guest = await fixture.createTenant();
  const [first, other] = await open(guest, 2);
  await shard.dequeue(jobOf(guest, 1), []);
  if (how === 'cancelled') await guest.tasks.cancel(ANN, first!);
  else await redis.del(guest.keys.task(first!));
  const { leases } = await shard.load(guest.store.id, 1, [first!, other!]);
  expect(leases.map(({ taskId }) => taskId)).toEqual([other]);
  expect(await redis.hget(guest.keys.jobs, '1')).toBe(taskRef(other!));
});

test('a ref without a task blocks no job, and leaves the batch', async () => {
  const guest = await fixture.createTenant();
  await redis.zadd(guest.keys.ready, 0, taskRef(taskIdFromUuid(randomUUID())));
  const [taskId] = await open(guest, 1);
  const batch = await shard.dequeue(jobOf(guest, 1), []);
  if (batch.kind === 'no_program') throw new Error(batch.kind);
  const { leases } = await shard.load(guest.store.id, 1, batch.notLoaded);
  expect(leases.map((segment) => segment.taskId)).toEqual([taskId]);
  expect(await redis.hget(guest.keys.jobs, '1')).toBe(taskRef(taskId!));
});

test('each task is in the batch of one of many concurrent jobs, never of two', async () => {
  const guest = await fixture.createTenant();
  const opened = await open(guest, 40);
  const batches = await Promise.all(
    Array.from({ length: 20 }, (_, n) => shard.dequeue(jobOf(guest, n + 1), [], { limit: 3 })),
  );
  const ids = batches.flatMap((batch) => (batch.kind === 'taken' ? batch.notLoaded : []));
  expect(ids).toHaveLength(40);
  expect(new Set(ids)).toEqual(new Set(opened));
});

test('a journal of some thousand entries is loaded whole, and tasks beyond 4 MiB wait for the next load', async () => {
  const guest = await fixture.createTenant();
  const journal = Array.from({ length: 2_500 }, (_, at) => [`${at}`, `read+${at}`] as const);
  await guest.openTask({ journal, waits: [], ready: true });
  expect((await fixture.leaseOne()).task.journal.get('2499')).toBe('read+2499');
  const large = [['0', `read+"${'x'.repeat(1_500_000)}"`]] as const;
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await guest.openTask({ journal: large, waits: [], ready: true }));
  await shard.dequeue(jobOf(guest, 9), []);
  const first = await shard.load(guest.store.id, 9, ids);
  expect(first.leases.map(({ taskId }) => taskId)).toEqual(ids.slice(0, 3));
  expect(first.notLoaded).toEqual(ids.slice(3));
  expect((await shard.load(guest.store.id, 9, first.notLoaded)).leases).toHaveLength(2);
});

test('tries counts the segments that were begun and never ended, and begins anew when one parks', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({ ready: true });
  for (let tries = 1; tries <= 3; tries++) {
    expect((await fixture.leaseOne()).task.tries).toBe(tries);
    await fixture.loseJobs(guest);
  }
  expect(await (await fixture.leaseOne()).park({ journal: [], drops: [], waits: [] })).toBe('parked');
  await guest.answer(taskId);
  expect((await fixture.leaseOne()).task.tries).toBe(1);
});

test('the tasks of a batch that is run again come in the order of their tries, the least tried first', async () => {
  const guest = await fixture.createTenant();
  const ids = await open(guest, 3);
  await shard.dequeue(jobOf(guest, 1), []);
  await shard.load(guest.store.id, 1, [ids[0]!]);
  await shard.load(guest.store.id, 1, [ids[0]!, ids[1]!]);
  expect(await shard.dequeue(jobOf(guest, 1), [])).toEqual({
    kind: 'retried',
    notLoaded: [ids[2], ids[1], ids[0]],
  });
});

test('two jobs of a tenant run at once for each live worker; the third is requested when one of them has ended', async () => {
  const guest = await fixture.createTenant();
  const ids = await open(guest, 4);
  await shard.dequeue(jobOf(guest, 1), [], { limit: 1 });
  expect(nextJob()).toBe('2 ready');
  await shard.dequeue(jobOf(guest, 2), [], { limit: 1 });
  expect(nextJob(), 'two run').toBe('');
  const [third] = await open(guest, 1);
  expect(await redis.hget(guest.keys.jobs, 'ready')).toBeNull();
  const { leases } = await shard.load(guest.store.id, 1, [ids[0]!]);
  await leases[0]!.settle({ status: 'completed', result: {} });
  expect(await redis.hget(guest.keys.jobs, 'ready')).toBe('3');
  await shard.workers.heartbeat('one', []);
  await shard.workers.heartbeat('two', []);
  for (const number of [3, 4, 5]) await shard.dequeue(jobOf(guest, number), [], { limit: 1 });
  expect(await guest.queueState(third!)).toBe('batch');
});

test("a tenant's lists have one job each that has not begun, however many join", async () => {
  const guest = await fixture.createTenant();
  await open(guest, 50);
  expect(await redis.hgetall(guest.keys.jobs)).toEqual({ ready: '1', next: '1' });
  expect((await redis.keys('*:bull:resume:*.1')).length).toBe(1);
});

test("a held task is taken only by a worker that has its program; another gets 'lacking'", async () => {
  const guest = await fixture.createTenant();
  const [one, two] = await open(guest, 2);
  await redis.hset(guest.keys.task(two!), 'op', 'other 7');
  await shard.dequeue(jobOf(guest, 10), []);
  for (const segment of (await shard.load(guest.store.id, 10, [one!, two!])).leases)
    expect(await segment.holdForProgram()).toBe('held');
  expect(await guest.queueState(one!)).toBe('held');
  const number = Number(await redis.hget(guest.keys.jobs, 'held'));
  const job = jobOf(guest, number, 'held');
  expect(await shard.dequeue(job, ['echo 11', 'ech 1'])).toEqual({ kind: 'no_program' });
  expect(await redis.hget(guest.keys.jobs, 'held'), 'it is still to begin').toBe(String(number));
  expect(await shard.dequeue(job, ['echo 1'])).toMatchObject({ kind: 'taken', notLoaded: [one] });
  expect(nextJob(), 'for the other').toBe(`${number + 1} held`);
  const rest = jobOf(guest, number + 1, 'held');
  expect(await shard.dequeue(rest, ['echo 1', 'other 7'])).toMatchObject({ notLoaded: [two] });
  expect(interceptor.replies(LOAD_TASKS).length).toBeGreaterThan(0);
});

test('an answer to a task that is held leaves it where it is', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({ waits: [llmWait('0'), llmWait('1')] });
  await guest.answer(taskId, 1);
  await (await fixture.leaseOne()).holdForProgram();
  await guest.answer(taskId, 2);
  expect(await guest.queueState(taskId)).toBe('held');
});

test('every code of DEQUEUE was reached', () => {
  expect(interceptor.codes(DEQUEUE)).toEqual(documentedCodes(DEQUEUE));
});
