import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { successAnswer } from '../harness/mcp-client.ts';
import { FATAL, RetryFixture } from './retry-fixture.ts';

let fixture: RetryFixture;
beforeAll(async () => {
  fixture = await RetryFixture.start();
});
afterAll(() => fixture?.baton.stop());

const OWN_CALL = {
  originalCommand: 'own',
  role: 'main',
  serviceType: 'generateObject',
  requestParameters: {
    messages: [{ role: 'user', content: 'x' }],
    schema: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
    objectName: 'own',
  },
};
const misfit = successAnswer({ object: { value: 7 } });

describe('a task that failed', () => {
  test('is retried under its own id: its last request opens anew with a new deadline, and its answer completes it', async () => {
    const taskId = await fixture.failed();
    const before = await fixture.call('task_status', { taskId });
    const retried = await fixture.retry(taskId);
    expect(retried).toMatchObject({ taskId, status: 'input_required', pending: { attempt: 1, taskId } });
    expect(Date.parse(retried.expiresAt)).toBeGreaterThan(Date.parse(before.expiresAt));
    expect(Date.parse(retried.pending.expiresAt)).toBeGreaterThan(Date.now() + 3_500_000);
    expect(await fixture.value(retried.pending.interactionId, 'v')).toMatchObject({
      status: 'completed',
      result: { value: 'v' },
    });
  });

  test.each([
    ['of a tool', 'bench_echo', { text: 'x' }],
    ['of a caller, checked by its own schema', 'agent_llm', { delegatedCallDetails: OWN_CALL }],
  ])('for answers of no use has all its attempts again: a request %s', async (_of, tool, args) => {
    const { taskId, interactionId } = await fixture.call(tool, args);
    const useUp = async (first: string) => {
      let outcome: AnyJson = { pending: { interactionId: first } };
      for (let attempt = 1; attempt <= 4; attempt++) {
        expect(outcome.pending, `attempt ${attempt}`).toBeDefined();
        outcome = await fixture.answer(outcome.pending.interactionId, misfit);
      }
      return outcome;
    };
    expect(await useUp(interactionId)).toMatchObject({ status: 'failed', error: { code: 'answer_invalid' } });
    const { pending } = await fixture.retry(taskId);
    expect(pending).toMatchObject({ attempt: 1 });
    expect(pending.llmRequestForAgent.messages, 'without the corrections of the answers before').toHaveLength(
      1,
    );
    expect(await useUp(pending.interactionId)).toMatchObject({ status: 'failed' });
    expect(await fixture.retry(taskId)).toMatchObject({ status: 'input_required', pending: { attempt: 1 } });
  });

  test('keeps the answers of its branches that were accepted, and asks for the others alone', async () => {
    const { taskId } = await fixture.call('bench_fan', { n: 3 });
    const { pendingInteractions: asked } = await fixture.call('task_status', { taskId });
    await fixture.value(asked[1].interactionId, 'second');
    await fixture.answer(asked[0].interactionId, FATAL);
    expect((await fixture.answer(asked[2].interactionId, FATAL)).status).toBe('failed');
    const retried = await fixture.retry(taskId);
    expect(retried.pendingInteractions).toHaveLength(2);
    const [first, third] = retried.pendingInteractions;
    await fixture.value(first.interactionId, 'first');
    expect(await fixture.value(third.interactionId, 'third')).toMatchObject({
      status: 'completed',
      result: { values: ['first', 'second', 'third'] },
    });
  });

  test('whose branches caught their failures, all of them, asks for each again', async () => {
    await fixture.call('initialize_project', { projectRoot: 'scoped', name: 'Scoped' });
    for (const title of ['One', 'Two'])
      await fixture.call('add_task', { projectRoot: 'scoped', title, description: 'd' });
    const { taskId, pendingInteractions } = await fixture.call('scope_up_task', {
      projectRoot: 'scoped',
      id: '1,2',
    });
    const outcomes: AnyJson[] = [];
    for (const { interactionId } of pendingInteractions)
      outcomes.push(await fixture.answer(interactionId, FATAL));
    expect(outcomes.at(-1)).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
    expect((await fixture.retry(taskId)).pendingInteractions).toHaveLength(2);
  });

  test('for what its last request met is asked for nothing that was paid for: the commit is made again', async () => {
    await fixture.call('initialize_project', { projectRoot: 'gone', name: 'Gone' });
    await fixture.call('add_task', { projectRoot: 'gone', title: 'One', description: 'd' });
    const { taskId, interactionId } = await fixture.call('expand_task', { projectRoot: 'gone', id: '1' });
    await fixture.call('remove_task', { projectRoot: 'gone', id: '1', confirm: true });
    const subtask = { title: 'S', description: 'd', details: 'x', testStrategy: 'y', dependencies: [] };
    const subtasks = [{ id: 1, status: 'pending', ...subtask }];
    const ended = await fixture.answer(interactionId, successAnswer({ object: { subtasks } }));
    expect(ended).toMatchObject({ status: 'failed', error: { code: 'project_task_not_found' } });
    expect(await fixture.retry(taskId), 'the task is still gone').toMatchObject({
      status: 'failed',
      error: { code: 'project_task_not_found' },
    });
    const file = (await fixture.rest('GET', '/v1/projects/gone')).body;
    expect(JSON.stringify(file)).not.toContain('"One"');
    await fixture.call('add_task', { projectRoot: 'gone', title: 'Another', description: 'd' });
    const retried = await fixture.retry(taskId);
    expect(retried, JSON.stringify(retried)).toMatchObject({ taskId });
    expect(retried.pending).toBeUndefined();
  });

  test('of a bug of its program fails again with the same error, and asks nobody', async () => {
    const { taskId, interactionId } = await fixture.call('bench_poison', { text: 'x' });
    const { error } = await fixture.value(interactionId, 'v');
    expect(error.code).toBe('internal');
    const retried = await fixture.retry(taskId);
    expect(retried).toMatchObject({ status: 'failed', error: { code: 'internal', message: error.message } });
  });

  test('by the deadline of its request, or by its own, is retried', async () => {
    const { taskId, interactionId } = await fixture.call('bench_echo', { text: 'x' });
    await fixture.rest('POST', `/v1/interactions/${interactionId}/extend`, { ttlMs: 1 });
    expect((await fixture.until(taskId, 'failed')).error.code).toBe('interaction_expired');
    const { pending } = await fixture.retry(taskId);
    expect(await fixture.value(pending.interactionId, 'late')).toMatchObject({ status: 'completed' });
  });

  test('is named by its idempotency key as before', async () => {
    const meta = { 'baton/idempotencyKey': 'the same' };
    const { taskId, interactionId } = await fixture.call('bench_echo', { text: 'x' }, 0, meta);
    await fixture.answer(interactionId, FATAL);
    const { pending } = await fixture.retry(taskId);
    const again = await fixture.call('bench_echo', { text: 'x' }, 1, meta);
    expect(again).toMatchObject({ taskId, interactionId: pending.interactionId });
  });
});

describe('a retry', () => {
  test('is made once however often it is asked, on two replicas at a time', async () => {
    const taskId = await fixture.failed();
    const replies = await Promise.all(Array.from({ length: 12 }, (_, at) => fixture.retry(taskId, at % 2)));
    expect(replies.filter(({ replayed }) => replayed !== true)).toHaveLength(1);
    const asked = new Set(replies.map(({ pending }) => pending.interactionId));
    expect(asked.size).toBe(1);
    const detail = (await fixture.rest('GET', `/v1/tasks/${taskId}`)).body;
    expect(detail.interactions).toHaveLength(2);
    expect(await fixture.retry(taskId)).toMatchObject({ replayed: true, status: 'input_required' });
  });

  test.each<[string, () => Promise<string>, object, string]>([
    [
      'completed',
      async () => {
        const { taskId, interactionId } = await fixture.call('bench_echo', { text: 'x' });
        await fixture.value(interactionId, 'v');
        return taskId;
      },
      { code: 'task_not_failed', taskStatus: 'completed' },
      'task_status',
    ],
    [
      'open',
      async () => (await fixture.call('bench_echo', { text: 'x' })).taskId,
      { code: 'task_not_failed', taskStatus: 'input_required' },
      'agent_llm',
    ],
    [
      'cancelled',
      async () => {
        const { taskId } = await fixture.call('bench_echo', { text: 'x' });
        await fixture.call('cancel_task', { taskId });
        return taskId;
      },
      { code: 'task_not_failed', taskStatus: 'cancelled' },
      'start the call again',
    ],
    ['gone', async () => '0b3aeb2c-73ac-4b6c-8b60-1b7b9c1a0000', { code: 'task_not_found' }, 'not yours'],
  ])(
    'of a task that is %s is refused by its id, its status and the way out',
    async (_what, make, error, wayOut) => {
      const taskId = await make();
      const refused = await fixture.error('retry_task', { taskId });
      expect(refused).toMatchObject({ ...error, taskId });
      expect(refused.message).toContain(taskId);
      expect(refused.message).toContain(wayOut);
      expect((await fixture.rest('POST', `/v1/tasks/${taskId}/retry`)).body).toMatchObject(error);
    },
  );

  test('of a task that somebody else has retried names who and when', async () => {
    const taskId = await fixture.failed();
    await fixture.retry(taskId);
    const { status, body } = await fixture.rest('POST', `/v1/tasks/${taskId}/retry`);
    expect([status, body.code]).toEqual([409, 'task_not_failed']);
    expect(body.retriedBy).toMatch(/^\S+$/);
    expect(body.detail).toContain(`'${body.retriedBy}' retried it at ${body.retriedAt}`);
  });

  test("of another's task needs the scope admin", async () => {
    const taskId = await fixture.failed();
    const agent = await fixture.baton.createKey({ scopes: ['agent'], principal: 'helper' });
    const stranger = await fixture.baton.createKey({ scopes: ['mcp'], principal: 'stranger' });
    const as = (token: string) => fixture.rest('POST', `/v1/tasks/${taskId}/retry`, {}, token);
    expect((await as(stranger)).body.code).toBe('task_not_found');
    expect((await as(agent)).body.code).toBe('insufficient_scope');
    const { status, body } = await as(fixture.admin);
    expect([status, body.taskId]).toEqual([200, taskId]);
  });
});
