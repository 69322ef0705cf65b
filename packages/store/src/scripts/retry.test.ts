import { expect, test } from 'vitest';
import { taskRef } from '../records/keys.ts';
import { unfinishedTaskTtl, DEFAULT_LIFETIMES } from '../records/durations.ts';
import { documentedReplyCodes } from '../testing/all-scripts.ts';
import { openFixture } from '../testing/store-fixture.ts';
import { ADMIN, AGENT, ANN, BOB, errorCode, llmWait, type TestTenant } from '../testing/test-tenant.ts';
import { openWorkflow, openWorkflowOf } from '../testing/workflow-step.ts';
import { RETRY, REWIND } from './registry.ts';

const fixture = await openFixture();
const { recorder, redis } = fixture;
const ERROR = { code: 'agent_error', message: 'no luck' };

/** A task of ann that failed. */
async function failedTask(testTenant: TestTenant, task: object = {}): Promise<string> {
  const taskId = await testTenant.openTask({ waits: [], ready: true, journal: [['0', 'read+1']], ...task });
  await (await fixture.loadSegment()).settle({ status: 'failed', error: ERROR });
  return taskId;
}

const retry = (testTenant: TestTenant, taskId: string, as = ANN) =>
  testTenant.store.taskRetries.retry(as, taskId);

test('RETRY has a failed task stand ready with a new deadline, and counts it as open again', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await failedTask(testTenant, { idempotency: { key: 'once', arguments: 'a' } });
  const before = await testTenant.readRecord(taskId);
  await redis.pexpire(testTenant.keys.idempotency('once'), 1_000);
  expect(await retry(testTenant, taskId)).toEqual({ taskId, event: 1, replayed: false });
  const record = await testTenant.readRecord(taskId);
  expect(record).toMatchObject({ st: 'working', ev: '1', tr: '0', rw: '1', q: 'ready', 'j:0': 'read+1' });
  expect(record['rs']).toBeUndefined();
  expect(Number(record['ex'])).toBeGreaterThan(Number(before['ex']));
  const [at, told = ''] = /^(\d+) (.*)$/.exec(record['rt'] ?? '')?.slice(1) ?? [];
  expect(Number(at)).toBe(Number(record['up']));
  expect(JSON.parse(told)).toEqual({ by: 'ann', failedAt: Number(before['up']), ...ERROR });
  expect(await testTenant.queueState(taskId)).toBe('ready');
  expect(await redis.hget(testTenant.keys.tenant, 'open')).toBe('1');
  expect(await redis.hget(testTenant.keys.tenant, 'storedEnded')).toBe('0');
  expect(await redis.zscore(testTenant.keys.retained, taskRef(taskId))).toBeNull();
  const keep = unfinishedTaskTtl(DEFAULT_LIFETIMES) - 60_000;
  expect(await redis.pttl(testTenant.keys.task(taskId))).toBeGreaterThan(keep);
  expect(await redis.pttl(testTenant.keys.idempotency('once')), 'which still names it').toBeGreaterThan(keep);
  expect(await testTenant.openTask({ idempotency: { key: 'once', arguments: 'a' } })).toBe(taskId);
});

const attempt = async (testTenant: TestTenant) => {
  const taskId = await failedTask(testTenant);
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => retry(testTenant, taskId)));
  const retried = ends.map((end) => (end.status === 'fulfilled' ? end.value : { replayed: undefined }));
  const { rt = '', ev } = await testTenant.readRecord(taskId);
  return {
    first: retried.filter(({ replayed }) => replayed !== true).length,
    lines: rt.split('\n').length,
    events: ev,
  };
};
const ONCE = { first: 1, lines: 1, events: '1' };

test('of retries of one failure that meet, one counts, and the others say what it says', async () => {
  expect(await attempt(await fixture.createTenant())).toEqual(ONCE);
});

test('without the fence on its status, each of them would open the task anew', async () => {
  const testTenant = await fixture.createTenant();
  const cuts = [
    ["if status ~= 'failed' then", "if status == 'completed' then"],
    ['updated_at, outcome, program', "updated_at, outcome or '{}', program"],
    ['- #outcome', "- #(outcome or '')"],
  ] as const;
  expect(await recorder.withMutant(RETRY, cuts, () => attempt(testTenant))).not.toEqual(ONCE);
});

test('a task that fails again is retried again, and its record keeps the last twenty', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await failedTask(testTenant);
  for (let time = 0; time < 22; time++) {
    await retry(testTenant, taskId);
    await (await fixture.loadSegment()).settle({ status: 'failed', error: { ...ERROR, message: `${time}` } });
  }
  const lines = (await testTenant.readRecord(taskId))['rt']?.split('\n') ?? [];
  expect(lines.map((line) => JSON.parse(line.slice(14)).message)).toEqual(
    Array.from({ length: 20 }, (_, at) => `${at + 1}`),
  );
});

test('RETRY refuses what did not fail, what has nothing to go on from, and whoever may not end the task', async () => {
  const testTenant = await fixture.createTenant();
  const codeOf = (taskId: string, as = ANN) => errorCode(retry(testTenant, taskId, as));
  const open = await testTenant.openTask();
  expect(await codeOf(open)).toBe('task_not_failed');
  await testTenant.tasks.cancel(ANN, open);
  expect(await codeOf(open)).toBe('task_not_failed');
  const failed = await failedTask(testTenant);
  expect(await codeOf(failed, BOB)).toBe('task_not_found');
  expect(await codeOf(failed, AGENT)).toBe('insufficient_scope');
  await retry(testTenant, failed, ADMIN);
  await expect(retry(testTenant, failed)).rejects.toMatchObject({
    code: 'task_not_failed',
    details: { taskId: failed, taskStatus: 'working', retriedBy: 'root' },
  });
  await testTenant.tasks.cancel(ANN, failed);

  const brief = testTenant.withLifetimes({ task: 0 });
  const workflow = await openWorkflow(brief);
  await fixture.sweep();
  const stripped = await failedTask(testTenant);
  await redis.hdel(testTenant.keys.task(stripped), 'in');
  const old = await failedTask(testTenant);
  await redis.hset(testTenant.keys.task(old), 'at', 1);
  for (const [taskId, reason] of [
    [workflow, 'workflow'],
    [stripped, 'stripped'],
    [old, 'old'],
  ] as const) {
    await expect(retry(testTenant, taskId)).rejects.toMatchObject({
      code: 'task_not_retryable',
      details: { taskId, reason },
    });
  }
});

test('what was a step of a workflow goes on by itself, and says what it was for that', async () => {
  const testTenant = await fixture.createTenant();
  const step = await testTenant.openTask({ waits: [], ready: true });
  const workflowTaskId = await openWorkflowOf(testTenant, step);
  await (await fixture.loadSegment()).settle({ status: 'failed', error: ERROR });
  const { operation, in: input = '' } = await testTenant.readRecord(step).then((record) => ({
    operation: record['op']?.split(' ')[0],
    in: record['in'],
  }));
  const retried = await retry(testTenant, step);
  expect(retried.step).toEqual({ workflowTaskId, operation, input: JSON.parse(input) });
  const { revision } = await testTenant.store.workflowTasks.read(ANN, workflowTaskId);
  await (await fixture.loadSegment()).settle({ status: 'completed', result: {} });
  // The workflow does not wait for it, unless it is told of it anew.
  expect((await testTenant.store.workflowTasks.read(ANN, workflowTaskId)).revision).toBe(revision);
});

test('a retry takes its place among what is open, pending and stored, as a new task does', async () => {
  const crowded = await fixture.createTenant({ openTasks: 1, pendingInteractions: 1 });
  const taskId = await failedTask(crowded);
  const other = await crowded.openTask({ waits: [llmWait('0')] });
  await expect(retry(crowded, taskId)).rejects.toMatchObject({ details: { limit: 'pendingInteractions' } });
  await crowded.tasks.cancel(ANN, other);
  const asleep = await crowded.openTask({ waits: [{ kind: 'sleep', path: '0', ms: 60_000 }] });
  await expect(retry(crowded, taskId)).rejects.toMatchObject({ details: { limit: 'openTasks' } });
  await crowded.tasks.cancel(ANN, asleep);
  await fixture.operators.update(crowded.store.id, { limits: { storedBytes: 4 } });
  expect(await errorCode(retry(crowded, taskId))).toBe('limit_storage');
  await fixture.operators.update(crowded.store.id, { limits: { storedBytes: 1_000_000 } });
  expect(await errorCode(retry(crowded, taskId))).toBe('done');
});

test('a task whose program no worker has is refused while workers live', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await failedTask(testTenant, { operation: 'gone', version: 7 });
  const { shard } = fixture;
  await shard.workers.heartbeat('w', ['echo 1']);
  // A process knows the workers for a second.
  const { context } = testTenant.store as unknown as {
    context: { workers: { cached: { forget(): void } } };
  };
  context.workers.cached.forget();
  await expect(retry(testTenant, taskId)).rejects.toMatchObject({
    code: 'program_unavailable',
    details: { taskId, program: 'gone 7' },
  });
  await shard.workers.deregister('w', ['echo 1']);
});

test('REWIND changes the journal once, behind the fence, and counts what it takes and gives', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await failedTask(testTenant);
  await retry(testTenant, taskId);
  const late = await fixture.loadSegment();
  expect(late.task.toRewind).toBe(true);
  await late.release();
  const segment = (await fixture.shard.reload(late))!;
  expect(await late.rewind(['0'], [])).toBe('stale');
  const before = await testTenant.readRecord(taskId);
  expect(await segment.rewind(['0'], [['1', 'retry+null']])).toBe('rewound');
  const after = await testTenant.readRecord(taskId);
  expect(after['j:0']).toBeUndefined();
  expect(after).toMatchObject({ 'j:1': 'retry+null' });
  expect(after['rw']).toBeUndefined();
  expect(Number(after['by']) - Number(before['by'])).toBe('retry+null'.length - 'read+1'.length);
  expect(await segment.rewind(['1'], [])).toBe('rewound');
  expect(await testTenant.readRecord(taskId)).toEqual(after);
});

test('an ended task that is being stripped loses its input first, and one that was retried meanwhile loses nothing', async () => {
  const testTenant = await fixture.createTenant();
  const taskId = await failedTask(testTenant);
  await retry(testTenant, taskId);
  const before = await testTenant.readRecord(taskId);
  await fixture.operators.update(testTenant.store.id, { limits: { storedBytes: 4 } });
  const { stripTasks } = await import('../shard/ended-tasks.ts');
  await stripTasks(fixture.connection, testTenant.keys, [taskRef(taskId)]);
  expect(await testTenant.readRecord(taskId)).toEqual(before);
});

test('every code of RETRY and REWIND was reached', () => {
  expect(recorder.codes(RETRY)).toEqual(documentedReplyCodes(RETRY));
  expect(recorder.codes(REWIND)).toEqual(documentedReplyCodes(REWIND));
});
