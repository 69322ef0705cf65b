import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createTestTenant,
  TEST_OPERATOR_TOKEN,
  type TestReplicas,
  startTestReplicas,
} from '../testing/test-replicas.ts';

let replicas: TestReplicas;
beforeAll(async () => {
  replicas = await startTestReplicas();
});
afterAll(() => replicas.stop());

const UNKNOWN = '0f8fad5b-d9cb-869f-a165-708677280000';

test('a task is shown with its input, its journal and its timeline', async () => {
  const { one, other } = replicas;
  const { mcp, agent } = await createTestTenant(one);
  const { taskId, interactionId } = await one.delegate(mcp);
  const value = 'quite an answer';
  await one.send('POST', `/v1/interactions/${interactionId}/answer`, {
    token: agent,
    json: { agentLLMResponse: { status: 'success', data: { object: { value } } }, waitMs: 0 },
  });
  const { body } = await other.send('GET', `/v1/tasks/${taskId}`, { token: mcp });
  expect(body).toMatchObject({ taskId, operation: 'bench_echo', principal: 'alice', status: 'working' });
  expect(body.input).toEqual({ text: 'hello' });
  expect(body.journal).toEqual([
    {
      path: expect.any(String),
      kind: 'llm',
      ok: true,
      value: { status: 'success', data: { object: { value } }, interactionId },
    },
  ]);
  expect(body.timeline).toEqual([
    { at: body.createdAt, event: 'created', by: 'alice' },
    { at: body.createdAt, event: 'interaction_opened', interactionId },
    {
      at: body.interactions[0].endedAt,
      event: 'interaction_answered',
      interactionId,
      by: 'answerer',
      usage: { durationMs: expect.any(Number) },
    },
  ]);
});

test('a cancelled task says so on every replica, with what was open taken back', async () => {
  const { one, other } = replicas;
  const { mcp, admin } = await createTestTenant(one);
  const { taskId } = await one.delegate(mcp, 'bench_fan', { n: 2 });
  const cancelled = await one.send('POST', `/v1/tasks/${taskId}/cancel`, { token: admin });
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
  const { body } = await other.send('GET', `/v1/tasks/${taskId}`, { token: mcp });
  expect(body.error).toMatchObject({ code: 'task_cancelled' });
  expect(body.timeline.map(({ event }: { event: string }) => event)).toEqual([
    'created',
    'interaction_opened',
    'interaction_opened',
    'interaction_cancelled',
    'interaction_cancelled',
    'cancelled',
  ]);
  const twice = await other.send('POST', `/v1/tasks/${taskId}/cancel`, { token: mcp, json: {} });
  expect([twice.status, twice.body.code]).toEqual([409, 'task_ended']);
});

test("an agent's key ends no task and takes back no request of another principal, and may answer it", async () => {
  const { one } = replicas;
  const { mcp, agent, admin } = await createTestTenant(one);
  const { taskId, interactionId } = await one.delegate(mcp);
  for (const path of [`/v1/tasks/${taskId}/cancel`, `/v1/interactions/${interactionId}/cancel`]) {
    const { status, body } = await one.send('POST', path, { token: agent });
    expect([path, status, body.code, body.scope]).toEqual([path, 403, 'insufficient_scope', 'admin']);
  }
  const claimed = await one.send('GET', `/v1/interactions/${interactionId}`, { token: agent });
  expect([claimed.status, claimed.body.status]).toEqual([200, 'pending']);
  const taken = await one.send('POST', `/v1/interactions/${interactionId}/cancel`, { token: admin });
  expect([taken.status, taken.body.status]).toEqual([200, 'cancelled']);
});

test('what is not yours answers like what never was, and stays as it is', async () => {
  const { one } = replicas;
  const [tenant, foreign] = [await createTestTenant(one), await createTestTenant(one)];
  const { taskId, interactionId } = await one.delegate(tenant.mcp);
  for (const token of [tenant.peer, foreign.mcp, foreign.agent, foreign.admin]) {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ] as const) {
      const answers = [];
      for (const which of [taskId, UNKNOWN, interactionId, 'malformed']) {
        const answer = await one.send(method, `/v1/tasks/${which}${path}`, { token });
        expect([method, path, which, answer.status]).toEqual([method, path, which, 404]);
        answers.push(answer.text.replaceAll(which, '<id>'));
      }
      expect(new Set(answers).size).toBe(1);
    }
  }
  const still = await one.send('GET', `/v1/tasks/${taskId}`, { token: tenant.mcp });
  expect(still.body.status).toBe('input_required');
});

test("the id of a task's interaction does not pass for the task, even with its owner", async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const { taskId, interactionId } = await one.delegate(mcp);
  for (const id of [interactionId, taskId.replaceAll('-', ''), taskId.toUpperCase(), `${taskId}0`]) {
    expect((await one.send('POST', `/v1/tasks/${id}/cancel`, { token: mcp })).status).toBe(404);
  }
  const { body } = await one.send('GET', `/v1/tasks/${taskId}`, { token: mcp });
  expect(body.status).toBe('input_required');
});

test('mcp lists its own tasks, agent and admin the tenant’s, newest first and filtered', async () => {
  const { one } = replicas;
  const tenant = await createTestTenant(one);
  const mine = await one.delegate(tenant.mcp);
  const theirs = await one.delegate(tenant.peer, 'bench_fan', { n: 1 });
  await one.send('POST', `/v1/tasks/${theirs.taskId}/cancel`, { token: tenant.peer });
  const list = async (token: string, query = '') => {
    const { body } = await one.send('GET', `/v1/tasks${query}`, { token });
    return body.tasks.map(({ taskId }: { taskId: string }) => taskId);
  };
  expect(await list(tenant.mcp)).toEqual([mine.taskId]);
  expect(new Set(await list(tenant.agent))).toEqual(new Set([mine.taskId, theirs.taskId]));
  expect(await list(tenant.admin, '?status=cancelled')).toEqual([theirs.taskId]);
  expect(await list(tenant.admin, '?operation=bench_echo&status=')).toEqual([mine.taskId]);
  expect(await list(tenant.admin, '?operation=parse_prd')).toEqual([]);
});

test('tasks are paged, each of them once', async () => {
  const { one } = replicas;
  const { id: tenant, mcp } = await createTestTenant(one);
  await Promise.all(Array.from({ length: 120 }, () => one.delegate(mcp)));
  const seen: string[] = [];
  let cursor = '';
  do {
    const path = `/v1/tenants/${tenant}/tasks?cursor=${encodeURIComponent(cursor)}`;
    const { body } = await one.send('GET', path, { token: TEST_OPERATOR_TOKEN });
    seen.push(...body.tasks.map(({ taskId }: { taskId: string }) => taskId));
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  expect(seen).toHaveLength(120);
  expect(new Set(seen).size).toBe(120);
});
