import { isTaskId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { run } from './script.ts';
import { OPEN } from './registry.ts';
import { openFixture } from '../testing/fixture.ts';
import { ANN, llmWait, errorCode, type TestTenant, newTask, sleepWait } from '../testing/test-tenant.ts';
import { documentedCodes } from '../testing/script-interceptor.ts';

const fixture = await openFixture();
const { interceptor, redis } = fixture;

test('OPEN leaves a task with its journal, its requests, its deadline and its places in the indexes', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({
    waits: [llmWait('0'), llmWait('1'), sleepWait('2', 90_000)],
    journal: [['9', 'read+1']],
    input: { prd: 'a {"document"}' },
  });
  expect(isTaskId(taskId)).toBe(true);
  const record = await guest.readRecord(taskId);
  expect(record).toMatchObject({
    st: 'input_required',
    pr: 'ann',
    op: 'echo 1',
    sq: '2',
    'j:9': 'read+1',
  });
  expect(JSON.parse(record['in']!)).toEqual({ prd: 'a {"document"}' });
  const ref = taskRef(taskId);
  expect(await redis.zrange(guest.keys.pending, '0', '-1')).toEqual([`${ref}.1|ann`, `${ref}.2|ann`]);
  expect(await redis.zrange(guest.keys.tasks, '0', '-1')).toEqual([`${ref}|ann`]);
  expect(await redis.zscore(guest.keys.deadlines, taskRef(taskId))).toBe(
    String(Number(record['at']) + 90_000),
  );
  expect(await guest.queueState(taskId), 'nobody has anything to do yet').toBeUndefined();
  expect(await redis.hget(guest.keys.record, 'open')).toBe('1');
});

test('a task that has work for a worker at once is ready at once, and is working when it waits for nobody', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask({ waits: [], ready: true });
  expect((await guest.readRecord(taskId))['st']).toBe('working');
  expect(await guest.queueState(taskId)).toBe('ready');
  expect((await guest.readRecord(await guest.openTask({ waits: [sleepWait('0', 60_000)] })))['st']).toBe(
    'working',
  );
});

test('OPEN with the task key of an open task changes nothing', async () => {
  const guest = await fixture.createTenant();
  const taskId = await guest.openTask();
  const before = await fixture.contents();
  const again = await reopen(guest, taskId);
  expect(again[0]).toBe('opened');
  expect(again[2], 'it says when the task was really opened').toBe((await guest.readRecord(taskId))['at']);
  expect(await fixture.contents()).toEqual(before);
});

test('the same idempotency key finds the same task, and changes nothing', async () => {
  const guest = await fixture.createTenant();
  const idempotency = { key: 'k1', arguments: 'a' };
  const first = await guest.openTask({ idempotency });
  const before = await fixture.contents();
  const operator = guest.store.operatorCaller();
  expect(await guest.openTask({ idempotency }, operator)).toBe(first);
  expect(interceptor.last(OPEN)).toEqual(['exists', taskRef(first)]);
  expect(await errorCode(guest.openTask({ idempotency: { key: 'k1', arguments: 'b' } }, operator))).toBe(
    'idempotency_conflict',
  );
  expect(await fixture.contents()).toEqual(before);
  expect(await guest.openTask({ idempotency: { key: 'k2', arguments: 'a' } })).not.toBe(first);
});

test('concurrent calls with one idempotency key open one task', async () => {
  const guest = await fixture.createTenant();
  const idempotency = { key: 'k', arguments: 'a' };
  const opened = await Promise.all(Array.from({ length: 20 }, () => guest.openTask({ idempotency })));
  expect(new Set(opened).size).toBe(1);
  expect(await redis.hget(guest.keys.record, 'open')).toBe('1');
});

test.each([
  ['the same', 'a'],
  ['other', 'b'],
])('an idempotency key whose task is gone opens a new one, with %s arguments', async (_which, others) => {
  const guest = await fixture.createTenant();
  const first = await guest.openTask({ idempotency: { key: 'k', arguments: 'a' } });
  await redis.del(guest.keys.task(first));
  const second = await guest.openTask({ idempotency: { key: 'k', arguments: others } });
  expect(second).not.toBe(first);
  expect(await guest.openTask({ idempotency: { key: 'k', arguments: others } })).toBe(second);
});

test.each([
  ['pendingInteractions', { pendingInteractions: 2 }, [llmWait('0'), llmWait('1')], 'limit_pending'],
  ['openTasks', { openTasks: 1 }, [llmWait('0')], 'limit_pending'],
  ['delegatedRequestBytes', { delegatedRequestBytes: 300 }, [llmWait('0', 'long '.repeat(60))], 'limit_size'],
] as const)(
  'OPEN beyond the limit %s is refused, and nothing is written',
  async (limit, limits, waits, code) => {
    const guest = await fixture.createTenant(limits);
    await guest.openTask();
    const operator = guest.store.operatorCaller();
    const before = await fixture.contents();
    expect(await errorCode(guest.openTask({ waits }, operator))).toBe(code);
    expect(interceptor.last(OPEN)[1]).toBe(limit);
    expect(await fixture.contents()).toEqual(before);
  },
);

test('a call whose request is too large goes on with the rest as the caller that it is, and counts once', async () => {
  const guest = await fixture.createTenant({ delegatedRequestBytes: 300, requestsPerSecond: 1, burst: 5 });
  const caller = await guest.caller('ann', ['mcp']);
  const waits = [llmWait('0'), llmWait('1', 'long '.repeat(60))];
  const refused = guest.tasks.open(caller, newTask({ waits }));
  await expect(refused).rejects.toMatchObject({ code: 'limit_size', path: '1' });
  const tokens = await redis.hget(guest.keys.record, 'tokens');
  expect(await caller.admit(['mcp'])).toEqual(ANN);
  await guest.tasks.open(caller, newTask({ waits: [llmWait('0')] }));
  expect(await redis.hget(guest.keys.record, 'tokens')).toBe(tokens);
});

test('a sleep is no pending interaction: it counts towards no limit', async () => {
  const guest = await fixture.createTenant({ pendingInteractions: 2 });
  await guest.openTask({
    waits: [llmWait('0'), sleepWait('1', 60_000), sleepWait('2', 60_000), llmWait('3')],
  });
  await guest.openTask({ waits: [sleepWait('0', 60_000)] });
  expect(await errorCode(guest.openTask())).toBe('limit_pending');
});

test('a limit is free again when what counted has ended', async () => {
  const guest = await fixture.createTenant({ openTasks: 1, pendingInteractions: 1 });
  const taskId = await guest.openTask();
  expect(await errorCode(guest.openTask())).toBe('limit_pending');
  await guest.answer(taskId);
  await (await fixture.leaseOne()).settle({ status: 'completed', result: {} });
  await guest.openTask();
});

test('every code of OPEN was reached', async () => {
  const admission = ['insufficient_scope', 'limit_rate', 'tenant_suspended', 'unauthenticated'];
  const own = documentedCodes(OPEN).filter((code) => !admission.includes(code));
  expect(interceptor.codes(OPEN)).toEqual(own);
});

/** What a client library does when a reply was lost: the very same call, key and all. */
function reopen(guest: TestTenant, taskId: string): Promise<unknown[]> {
  const args = {
    digest: '',
    principal: 'ann',
    scopes: ' mcp ',
    need: 'mcp',
    bytes: 0,
    floor: 0,
    topic: guest.member(taskId),
    ref: taskRef(taskId),
    operation: 'echo',
    version: 1,
    input: '{}',
    arguments: '',
    staleRef: '',
    life: 1,
    keep: 1,
    journal: 0,
    waits: 1,
    ready: 1,
  };
  return run(fixture.connection, OPEN, guest.scriptKeys(taskId), args, { args: ['llm', '0', 1, '{}', ''] });
}
