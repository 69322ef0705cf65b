import { isTaskId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { run } from './script.ts';
import { OPEN } from './registry.ts';
import { openFixture } from '../testing/fixture.ts';
import { ANN, asks, codeOf, type Guest, newTask, sleeps } from '../testing/guest.ts';
import { codesOf } from '../testing/wiretap.ts';

const fixture = await openFixture();
const { wiretap, redis } = fixture;

test('OPEN leaves a task with its journal, its requests, its deadline and its places in the indexes', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({
    waits: [asks('0'), asks('1'), sleeps('2', 90_000)],
    journal: [['9', 'read+1']],
    input: { prd: 'a {"document"}' },
  });
  expect(isTaskId(taskId)).toBe(true);
  const record = await guest.record(taskId);
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
  expect(await guest.stands(taskId), 'nobody has anything to do yet').toBeUndefined();
  expect(await redis.hget(guest.keys.record, 'open')).toBe('1');
});

test('a task that has work for a worker at once is ready at once, and is working when it waits for nobody', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open({ waits: [], ready: true });
  expect((await guest.record(taskId))['st']).toBe('working');
  expect(await guest.stands(taskId)).toBe('ready');
  expect((await guest.record(await guest.open({ waits: [sleeps('0', 60_000)] })))['st']).toBe('working');
});

test('OPEN with the task key of an open task changes nothing', async () => {
  const guest = await fixture.guest();
  const taskId = await guest.open();
  const before = await fixture.contents();
  const again = await reopen(guest, taskId);
  expect(again[0]).toBe('opened');
  expect(again[2], 'it says when the task was really opened').toBe((await guest.record(taskId))['at']);
  expect(await fixture.contents()).toEqual(before);
});

test('the same idempotency key finds the same task, and changes nothing', async () => {
  const guest = await fixture.guest();
  const idempotency = { key: 'k1', arguments: 'a' };
  const first = await guest.open({ idempotency });
  const before = await fixture.contents();
  const operator = guest.tenant.operatorCaller();
  expect(await guest.open({ idempotency }, operator)).toBe(first);
  expect(wiretap.last(OPEN)).toEqual(['exists', taskRef(first)]);
  expect(await codeOf(guest.open({ idempotency: { key: 'k1', arguments: 'b' } }, operator))).toBe(
    'idempotency_conflict',
  );
  expect(await fixture.contents()).toEqual(before);
  expect(await guest.open({ idempotency: { key: 'k2', arguments: 'a' } })).not.toBe(first);
});

test('concurrent calls with one idempotency key open one task', async () => {
  const guest = await fixture.guest();
  const idempotency = { key: 'k', arguments: 'a' };
  const opened = await Promise.all(Array.from({ length: 20 }, () => guest.open({ idempotency })));
  expect(new Set(opened).size).toBe(1);
  expect(await redis.hget(guest.keys.record, 'open')).toBe('1');
});

test.each([
  ['the same', 'a'],
  ['other', 'b'],
])('an idempotency key whose task is gone opens a new one, with %s arguments', async (_which, others) => {
  const guest = await fixture.guest();
  const first = await guest.open({ idempotency: { key: 'k', arguments: 'a' } });
  await redis.del(guest.keys.task(first));
  const second = await guest.open({ idempotency: { key: 'k', arguments: others } });
  expect(second).not.toBe(first);
  expect(await guest.open({ idempotency: { key: 'k', arguments: others } })).toBe(second);
});

test.each([
  ['pendingInteractions', { pendingInteractions: 2 }, [asks('0'), asks('1')], 'limit_pending'],
  ['openTasks', { openTasks: 1 }, [asks('0')], 'limit_pending'],
  ['delegatedRequestBytes', { delegatedRequestBytes: 300 }, [asks('0', 'long '.repeat(60))], 'limit_size'],
] as const)(
  'OPEN beyond the limit %s is refused, and nothing is written',
  async (limit, limits, waits, code) => {
    const guest = await fixture.guest(limits);
    await guest.open();
    const operator = guest.tenant.operatorCaller();
    const before = await fixture.contents();
    expect(await codeOf(guest.open({ waits }, operator))).toBe(code);
    expect(wiretap.last(OPEN)[1]).toBe(limit);
    expect(await fixture.contents()).toEqual(before);
  },
);

test('a call whose request is too large goes on with the rest as the caller that it is, and counts once', async () => {
  const guest = await fixture.guest({ delegatedRequestBytes: 300, requestsPerSecond: 1, burst: 5 });
  const caller = await guest.caller('ann', ['mcp']);
  const waits = [asks('0'), asks('1', 'long '.repeat(60))];
  const refused = guest.tasks.open(caller, newTask({ waits }));
  await expect(refused).rejects.toMatchObject({ code: 'limit_size', path: '1' });
  const tokens = await redis.hget(guest.keys.record, 'tokens');
  expect(await caller.admit(['mcp'])).toEqual(ANN);
  await guest.tasks.open(caller, newTask({ waits: [asks('0')] }));
  expect(await redis.hget(guest.keys.record, 'tokens')).toBe(tokens);
});

test('a sleep is no pending interaction: it counts towards no limit', async () => {
  const guest = await fixture.guest({ pendingInteractions: 2 });
  await guest.open({ waits: [asks('0'), sleeps('1', 60_000), sleeps('2', 60_000), asks('3')] });
  await guest.open({ waits: [sleeps('0', 60_000)] });
  expect(await codeOf(guest.open())).toBe('limit_pending');
});

test('a limit is free again when what counted has ended', async () => {
  const guest = await fixture.guest({ openTasks: 1, pendingInteractions: 1 });
  const taskId = await guest.open();
  expect(await codeOf(guest.open())).toBe('limit_pending');
  await guest.answer(taskId);
  await (await fixture.take()).settle({ status: 'completed', result: {} });
  await guest.open();
});

test('every code of OPEN was reached', async () => {
  const admission = ['insufficient_scope', 'limit_rate', 'tenant_suspended', 'unauthenticated'];
  const own = codesOf(OPEN).filter((code) => !admission.includes(code));
  expect(wiretap.codes(OPEN)).toEqual(own);
});

/** What a client library does when a reply was lost: the very same call, key and all. */
function reopen(guest: Guest, taskId: string): Promise<unknown[]> {
  const args = {
    digest: '',
    principal: 'ann',
    scopes: ' mcp ',
    need: 'mcp',
    bytes: 0,
    floor: 0,
    member: guest.member(taskId),
    ref: taskRef(taskId),
    operation: 'echo',
    version: 1,
    input: '{}',
    arguments: '',
    gone: '',
    life: 1,
    keep: 1,
    journal: 0,
    opens: 1,
    ready: 1,
  };
  return run(fixture.connection, OPEN, guest.places(taskId), args, { args: ['llm', '0', 1, '{}'] });
}
