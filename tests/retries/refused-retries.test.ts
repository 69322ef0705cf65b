import { syntheticOperations } from '@baton/operations';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { FIELD } from '../../packages/store/src/records/task-record.ts';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';
import { RetryFixture } from './retry-fixture.ts';

/** Retries of tasks that cannot go on: each names the task and why, and changes nothing. */
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function started(...given: Parameters<typeof RetryFixture.start>): Promise<RetryFixture> {
  const fixture = await RetryFixture.start(...given);
  ends.push(() => fixture.baton.stop());
  return fixture;
}

async function startedWorkflows(...given: Parameters<typeof WorkflowFixture.start>) {
  const fixture = await WorkflowFixture.start(...given);
  ends.push(() => fixture.stop());
  return fixture;
}

test('one that made room for a newer task is gone', async () => {
  const fixture = await started({ limits: { retainedTasks: 1 } });
  const first = await fixture.failed('first');
  const second = await fixture.failed('second');
  const shown = async () => (await fixture.rest('GET', `/v1/tasks/${first}`)).status;
  await expect.poll(shown).toBe(404);
  expect(await fixture.error('retry_task', { taskId: first })).toMatchObject({
    code: 'task_not_found',
    taskId: first,
  });
  expect((await fixture.rest('POST', `/v1/tasks/${first}/retry`)).status).toBe(404);
  expect(await fixture.retry(second)).toMatchObject({ status: 'input_required' });
});

test('one whose input and answers made room for newer tasks is named as stripped', async () => {
  const fixture = await started({ limits: { storedBytes: 400_000 } });
  const first = await fixture.failed('x'.repeat(2_000));
  const redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
  ends.push(() => redis.quit());
  const [key = ''] = await redis.keys('*:task:*');
  // Ended tasks may take a quarter of it; above that the oldest are stripped first.
  for (let more = 0; more < 20; more++) await fixture.failed('y'.repeat(2_000));
  await expect.poll(() => redis.hexists(key, FIELD.input)).toBe(0);
  expect(await fixture.error('retry_task', { taskId: first })).toMatchObject({
    code: 'task_not_retryable',
    reason: 'stripped',
    taskId: first,
  });
  expect(await fixture.call('task_status', { taskId: first })).toMatchObject({ status: 'failed' });
});

test('one of a workflow is named as such', async () => {
  const fixture = await startedWorkflows({ lifetimes: { task: 1_000 } });
  await fixture.put('plan', [{ name: 'missing', tool: 'get_task', arguments: { id: 77 } }]);
  const { taskId } = await fixture.run('plan');
  const [client] = fixture.clients;
  const statusOf = async () => (await fixture.status(taskId)).status;
  await expect.poll(statusOf, { timeout: 10_000 }).toBe('failed');
  expect(await callToolForError(client, 'retry_task', { taskId })).toMatchObject({
    code: 'task_not_retryable',
    reason: 'workflow',
    taskId,
  });
});

test('one whose program no worker has fails no worse: it stays as it is, and is retried once a worker has it', async () => {
  const fixture = await started({ workers: 0 });
  const old = await fixture.baton.addWorker();
  const taskId = await fixture.failed();
  await old.stop();
  fixture.baton.workers.splice(0);
  const others = new Map([...syntheticOperations].filter(([name]) => name !== 'bench_echo'));
  await fixture.baton.addWorker(others);
  const another = () => fixture.error('bench_echo', { text: 'x' }).catch(() => undefined);
  await expect.poll(another).toMatchObject({ code: 'program_unavailable' });
  expect(await fixture.error('retry_task', { taskId })).toMatchObject({
    code: 'program_unavailable',
    taskId,
  });
  expect(await fixture.call('task_status', { taskId })).toMatchObject({ status: 'failed' });
  await fixture.baton.addWorker();
  const retried = () => fixture.retry(taskId).catch(() => undefined);
  await expect.poll(retried).toMatchObject({ status: 'input_required' });
});

test('by its owner and an administrator at once, on two replicas, is made by one of them, and the other is told by whom', async () => {
  const fixture = await started();
  for (let round = 0; round < 5; round++) {
    const taskId = await fixture.failed(`round ${round}`);
    const owner = fixture.retry(taskId, 0);
    const admin = fixture.rest('POST', `/v1/tasks/${taskId}/retry`);
    const [{ error }, { status, body }] = await Promise.all([owner, admin]);
    if (error === undefined) expect([status, body.code]).toEqual([409, 'task_not_failed']);
    else expect([status, error.code, error.retriedBy]).toEqual([200, 'task_not_failed', 'root']);
    const { interactions } = (await fixture.rest('GET', `/v1/tasks/${taskId}`)).body;
    expect(interactions.filter(({ status: state }: AnyJson) => state === 'pending')).toHaveLength(1);
  }
});
