import { isTaskId } from '@baton/protocol';
import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { runScript } from './script.ts';
import { OPEN } from './registry.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ANN, llmWait, errorCode, type TestTenant, newTask, sleepWait } from '../testing/test-tenant.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;

test('OPEN leaves a task with its journal, its requests, its deadline and its places in the indexes', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({
    waits: [llmWait('0'), llmWait('1'), sleepWait('2', 90_000)],
    journal: [['9', 'read+1']],
    input: { prd: 'a {"document"}' },
  });
  expect(isTaskId(taskId)).toBe(true);
  const record = await testTenant.readRecord(taskId);
  expect(record).toMatchObject({
    st: 'input_required',
    pr: 'ann',
    op: 'echo 1',
    sq: '2',
    'j:9': 'read+1',
  });
  expect(JSON.parse(record['in']!)).toEqual({ prd: 'a {"document"}' });
  const ref = taskRef(taskId);
  expect(await redis.zrange(testTenant.keys.pending, '0', '-1')).toEqual([`${ref}.1|ann`, `${ref}.2|ann`]);
  expect(await redis.zrange(testTenant.keys.tasks, '0', '-1')).toEqual([`${ref}|ann`]);
  expect(await redis.zscore(testTenant.keys.deadlines, taskRef(taskId))).toBe(
    String(Number(record['at']) + 90_000),
  );
  expect(await testTenant.queueState(taskId), 'nobody has anything to do yet').toBeUndefined();
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('1');
});

test('a task that has work for a worker at once is ready at once, and is working when it waits for nobody', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask({ waits: [], ready: true });
  expect((await testTenant.readRecord(taskId))['st']).toBe('working');
  expect(await testTenant.queueState(taskId)).toBe('ready');
  expect(
    (await testTenant.readRecord(await testTenant.openTask({ waits: [sleepWait('0', 60_000)] })))['st'],
  ).toBe('working');
});

test('OPEN with the task key of an open task changes nothing', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await testTenant.openTask();
  const before = await fixture.contents();
  const again = await reopen(testTenant, taskId);
  expect(again[0]).toBe('opened');
  expect(again[2], 'it says when the task was really opened').toBe(
    (await testTenant.readRecord(taskId))['at'],
  );
  expect(await fixture.contents()).toEqual(before);
});

test('the same idempotency key finds the same task, and changes nothing', async () => {
  const testTenant = await fixture.createTenant();
  const idempotency = { key: 'k1', arguments: 'a' };
  const first = await testTenant.openTask({ idempotency });
  const before = await fixture.contents();
  const operator = testTenant.store.operatorCaller();
  expect(await testTenant.openTask({ idempotency }, operator)).toBe(first);
  expect(recorder.last(OPEN)).toEqual(['exists', taskRef(first), 'operator']);
  expect(await errorCode(testTenant.openTask({ idempotency: { key: 'k1', arguments: 'b' } }, operator))).toBe(
    'idempotency_conflict',
  );
  expect(await fixture.contents()).toEqual(before);
  expect(await testTenant.openTask({ idempotency: { key: 'k2', arguments: 'a' } })).not.toBe(first);
});

test('concurrent calls with one idempotency key open one task', async () => {
  const testTenant = await fixture.createTenant();
  const idempotency = { key: 'k', arguments: 'a' };
  const opened = await Promise.all(Array.from({ length: 20 }, () => testTenant.openTask({ idempotency })));
  expect(new Set(opened).size).toBe(1);
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('1');
});

test.each([
  ['the same', 'a'],
  ['other', 'b'],
])('an idempotency key whose task is gone opens a new one, with %s arguments', async (_which, others) => {
  const testTenant = await fixture.createTenant();
  const first = await testTenant.openTask({ idempotency: { key: 'k', arguments: 'a' } });
  await redis.del(testTenant.keys.task(first));
  const second = await testTenant.openTask({ idempotency: { key: 'k', arguments: others } });
  expect(second).not.toBe(first);
  expect(await testTenant.openTask({ idempotency: { key: 'k', arguments: others } })).toBe(second);
});

test.each([
  ['pendingInteractions', { pendingInteractions: 2 }, [llmWait('0'), llmWait('1')], 'limit_pending'],
  ['openTasks', { openTasks: 1 }, [llmWait('0')], 'limit_pending'],
  ['delegatedRequestBytes', { delegatedRequestBytes: 300 }, [llmWait('0', 'long '.repeat(60))], 'limit_size'],
] as const)(
  'OPEN beyond the limit %s is refused, and nothing is written',
  async (limit, limits, waits, code) => {
    const testTenant = await fixture.createTenant(limits);
    await testTenant.openTask();
    const operator = testTenant.store.operatorCaller();
    const before = await fixture.contents();
    expect(await errorCode(testTenant.openTask({ waits }, operator))).toBe(code);
    expect(recorder.last(OPEN)[1]).toBe(limit);
    expect(await fixture.contents()).toEqual(before);
  },
);

test('what a worker is to begin is refused where the tenant has as many interactions as it may: it would ask for more', async () => {
  const testTenant = await fixture.createTenant({ pendingInteractions: 1 });
  await testTenant.openTask({ waits: [], ready: true });
  await testTenant.openTask();
  const before = await fixture.contents();
  const operator = testTenant.store.operatorCaller();
  expect(await errorCode(testTenant.openTask({ waits: [], ready: true }, operator))).toBe('limit_pending');
  expect(await fixture.contents()).toEqual(before);
});

test('a call whose request is too large goes on with the rest as the caller that it is, and counts once', async () => {
  const testTenant = await fixture.createTenant({
    delegatedRequestBytes: 300,
    requestsPerSecond: 1,
    burst: 5,
  });
  const caller = await testTenant.caller('ann', ['mcp']);
  const waits = [llmWait('0'), llmWait('1', 'long '.repeat(60))];
  const refused = testTenant.tasks.open(caller, newTask({ waits }));
  await expect(refused).rejects.toMatchObject({ code: 'limit_size', path: '1' });
  const tokens = await redis.hget(testTenant.keys.tenant, 'tokens');
  expect(await caller.admit(['mcp'])).toEqual(ANN);
  await testTenant.tasks.open(caller, newTask({ waits: [llmWait('0')] }));
  expect(await redis.hget(testTenant.keys.tenant, 'tokens')).toBe(tokens);
});

test('a sleep is no pending interaction: it counts towards no limit', async () => {
  const testTenant = await fixture.createTenant({ pendingInteractions: 2 });
  await testTenant.openTask({
    waits: [llmWait('0'), sleepWait('1', 60_000), sleepWait('2', 60_000), llmWait('3')],
  });
  await testTenant.openTask({ waits: [sleepWait('0', 60_000)] });
  expect(await errorCode(testTenant.openTask())).toBe('limit_pending');
});

test('a limit is free again when what counted has ended', async () => {
  const testTenant = await fixture.createTenant({ openTasks: 1, pendingInteractions: 1 });
  const taskId = await testTenant.openTask();
  expect(await errorCode(testTenant.openTask())).toBe('limit_pending');
  await testTenant.answer(taskId);
  await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
  await testTenant.openTask();
});

test('a task for which the tenant has no room is refused with what is used, and changes nothing', async () => {
  const testTenant = await fixture.createTenant({ storedBytes: 4_000 });
  await testTenant.openTask();
  const used = Number(await redis.hget(testTenant.keys.tenant, 'stored'));
  const input = { text: 'x'.repeat(4_000 - used) };
  const before = await fixture.contents();
  const refused = await testTenant
    .openTask({ input }, testTenant.store.operatorCaller())
    .catch((error) => error);
  expect(refused).toMatchObject({
    code: 'limit_storage',
    details: { limit: 'storedBytes', most: 4_000, used },
  });
  expect(refused.message).toMatch(/delete_project/);
  expect(await fixture.contents()).toEqual(before);
});

test('every code of OPEN was reached', async () => {
  const admission = ['insufficient_scope', 'limit_rate', 'tenant_suspended', 'unauthenticated'];
  const own = documentedReplyCodes(OPEN).filter((code) => !admission.includes(code));
  expect(recorder.codes(OPEN)).toEqual(own);
});

/** What a client library does when a reply was lost: the very same call, key and all. */
function reopen(testTenant: TestTenant, taskId: string): Promise<unknown[]> {
  const args = {
    digest: '',
    principal: 'ann',
    scopes: ' mcp ',
    need: 'mcp',
    bytes: 0,
    weight: 0,
    floor: 0,
    tool: '',
    topic: testTenant.member(taskId),
    ref: taskRef(taskId),
    operation: 'echo',
    version: 1,
    input: '{}',
    arguments: '',
    idempotencyDigest: '',
    staleRef: '',
    traceparent: '',
    client: '',
    life: 1,
    keep: 1,
    project: '',
    projectGrowth: 0,
    journal: 0,
    waits: 1,
    ready: 1,
  };
  return runScript(
    { connection: fixture.connection, keys: testTenant.keys },
    OPEN,
    testTenant.ownKeys(taskId),
    args,
    {
      args: ['llm', '0', 1, '{}', ''],
    },
  );
}
