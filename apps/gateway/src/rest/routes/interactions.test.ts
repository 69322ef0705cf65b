import { formatInteractionId } from '@baton/protocol';
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

const UNKNOWN = '0f8fad5b-d9cb-869f-a165-70867728000f';
const good = (value: string) => ({
  agentLLMResponse: { status: 'success', data: { object: { value } } },
  waitMs: 0,
});
const idsOf = (body: { interactions: { interactionId: string }[] }) =>
  body.interactions.map((interaction) => interaction.interactionId);

test('an interaction opened on one replica is listed and shown whole on the other', async () => {
  const { one, other } = replicas;
  const { mcp } = await createTestTenant(one);
  const asked = await one.delegate(mcp);
  const list = await other.send('GET', '/v1/interactions', { token: mcp });
  expect(idsOf(list.body)).toEqual([asked.interactionId]);
  expect(list.body.interactions[0]).toMatchObject({
    taskId: asked.taskId,
    operation: 'bench_echo',
    principal: 'alice',
    status: 'pending',
    expiresAt: asked.expiresAt,
    attempt: 1,
  });
  expect(list.text).not.toContain('llmRequestForAgent');
  const { body } = await other.send('GET', `/v1/interactions/${asked.interactionId}`, { token: mcp });
  expect(body.llmRequestForAgent).toEqual(asked.llmRequestForAgent);
});

test('mcp sees its own, agent and admin see the tenant’s, another tenant sees nothing', async () => {
  const { one } = replicas;
  const [tenant, foreign] = [await createTestTenant(one), await createTestTenant(one)];
  const [first, second] = [await one.delegate(tenant.mcp), await one.delegate(tenant.peer)];
  const seenBy = async (token: string, query = '') => {
    const { body } = await one.send('GET', `/v1/interactions${query}`, { token });
    return new Set(idsOf(body));
  };
  const both = new Set([first.interactionId, second.interactionId]);
  for (const query of ['', '?status=pending']) {
    expect(await seenBy(tenant.mcp, query)).toEqual(new Set([first.interactionId]));
    expect(await seenBy(tenant.peer, query)).toEqual(new Set([second.interactionId]));
    expect(await seenBy(tenant.agent, query)).toEqual(both);
    expect(await seenBy(tenant.admin, query)).toEqual(both);
    expect(await seenBy(foreign.agent, query)).toEqual(new Set());
  }
});

test('what is not yours answers like what never was, on every route, and stays as it is', async () => {
  const { one } = replicas;
  const [tenant, foreign] = [await createTestTenant(one), await createTestTenant(one)];
  const { interactionId: id, taskId } = await one.delegate(tenant.mcp);
  const unopened = formatInteractionId(taskId, 9);
  const asked: [string, string, unknown?][] = [
    ['GET', ''],
    ['POST', '/answer', good('stolen')],
    ['POST', '/cancel', {}],
    ['POST', '/extend', { ttlMs: 1 }],
  ];
  const strangers = [tenant.peer, foreign.mcp, foreign.agent];
  for (const [method, path, json] of asked) {
    for (const token of strangers) {
      const answers = [];
      for (const which of [id, UNKNOWN, unopened, 'malformed']) {
        const answer = await one.send(method, `/v1/interactions/${which}${path}`, { token, json });
        expect([method, path, which, answer.status]).toEqual([method, path, which, 404]);
        answers.push(answer.text.replaceAll(which, '<id>'));
      }
      expect(new Set(answers).size).toBe(1);
    }
    // An admin oversees the tenant, but its key alone does not answer.
    const admin = await one.send(method, `/v1/interactions/${id}${path}`, { token: foreign.admin, json });
    expect(admin.status).toBe(path === '/answer' ? 403 : 404);
  }
  const still = await one.send('GET', `/v1/interactions/${id}`, { token: tenant.mcp });
  expect(still.body.status).toBe('pending');
});

test('an answer over REST is taken once; the same again is confirmed, another is refused', async () => {
  const { one, other } = replicas;
  const { mcp, peer, agent } = await createTestTenant(one);
  const { interactionId: id, taskId } = await one.delegate(mcp);
  const path = `/v1/interactions/${id}/answer`;
  const first = await other.send('POST', path, { token: agent, json: good('a') });
  expect([first.status, first.body]).toEqual([
    200,
    {
      status: 'agent_response_processed_by_taskmaster',
      interactionId: id,
      taskId,
      outcome: { status: 'working' },
    },
  ]);
  const again = await one.send('POST', path, { token: mcp, json: good('a') });
  expect([again.status, again.body.replayed]).toEqual([200, true]);
  const different = await one.send('POST', path, { token: mcp, json: good('b') });
  expect([different.status, different.body.code]).toEqual([409, 'interaction_already_answered']);
  expect((await one.send('POST', path, { token: peer, json: good('b') })).status).toBe(404);

  const shown = await one.send('GET', `/v1/interactions/${id}`, { token: mcp });
  expect(shown.body).toMatchObject({ status: 'answered', answeredBy: 'answerer' });
  expect(shown.body.expiresAt).toBeUndefined();
});

test('the operator answers under the tenant’s path', async () => {
  const { one, other } = replicas;
  const { id: tenant, mcp } = await createTestTenant(one);
  const { interactionId: id } = await one.delegate(mcp);
  const answered = await other.send('POST', `/v1/tenants/${tenant}/interactions/${id}/answer`, {
    token: TEST_OPERATOR_TOKEN,
    json: good('by the operator'),
  });
  expect(answered.status).toBe(200);
});

test('chunks of a stream are kept, and a gap at its end leaves the interaction pending', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const requestParameters = { messages: [{ role: 'user', content: 'A story' }] };
  const delegatedCallDetails = { originalCommand: 'story', serviceType: 'streamText', requestParameters };
  const { interactionId: id } = await one.delegate(mcp, 'agent_llm', { delegatedCallDetails });
  const post = (agentLLMResponse: object) =>
    one.send('POST', `/v1/interactions/${id}/answer`, { token: mcp, json: { agentLLMResponse, waitMs: 0 } });
  expect((await post({ status: 'streaming', sequence: 1, delta: ' upon a time' })).status).toBe(200);
  const gap = await post({ status: 'success', data: {} });
  expect([gap.status, gap.body.field, gap.body.sequence]).toEqual([400, 'agentLLMResponse', 0]);
  expect((await post({ status: 'streaming', sequence: 0, delta: 'Once' })).status).toBe(200);
  expect((await post({ status: 'success', data: {} })).status).toBe(200);
});

test('a cancelled interaction is refused from then on, on every replica', async () => {
  const { one, other } = replicas;
  const { mcp, admin } = await createTestTenant(one);
  const { interactionId: id } = await one.delegate(mcp);
  const cancelled = await one.send('POST', `/v1/interactions/${id}/cancel`, { token: admin });
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
  expect(cancelled.body.endedAt).toBeDefined();
  const answer = await other.send('POST', `/v1/interactions/${id}/answer`, {
    token: mcp,
    json: good('late'),
  });
  expect([answer.status, answer.body.code]).toEqual([410, 'interaction_cancelled']);
  const twice = await other.send('POST', `/v1/interactions/${id}/cancel`, { token: mcp, json: {} });
  expect([twice.status, twice.body.code]).toEqual([410, 'interaction_cancelled']);
  const extended = await other.send('POST', `/v1/interactions/${id}/extend`, {
    token: mcp,
    json: { ttlMs: 9 },
  });
  expect(extended.status).toBe(410);
});

test('an extension counts from now, and never past the end of the task', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const { interactionId: id, taskId } = await one.delegate(mcp);
  const task = await one.send('GET', `/v1/tasks/${taskId}`, { token: mcp });
  const extend = async (ttlMs: number) =>
    one.send('POST', `/v1/interactions/${id}/extend`, { token: mcp, json: { ttlMs } });
  const before = Date.now();
  const sooner = Date.parse((await extend(600_000)).body.expiresAt);
  expect(sooner).toBeGreaterThanOrEqual(before + 600_000 - 1_000);
  expect(sooner).toBeLessThanOrEqual(Date.now() + 600_000 + 1_000);
  expect((await extend(2_592_000_000)).body.expiresAt).toBe(task.body.expiresAt);
});

test('an interaction that is past its deadline cannot be extended or answered', async () => {
  const { one } = replicas;
  const { mcp } = await createTestTenant(one);
  const { interactionId: id } = await one.delegate(mcp);
  await one.send('POST', `/v1/interactions/${id}/extend`, { token: mcp, json: { ttlMs: 1 } });
  const path = `/v1/interactions/${id}`;
  // No worker runs here that would sweep it: the script itself knows the time.
  await expect
    .poll(
      async () => (await one.send('POST', `${path}/extend`, { token: mcp, json: { ttlMs: 1 } })).body.code,
    )
    .toBe('interaction_expired');
  const answered = await one.send('POST', `${path}/answer`, { token: mcp, json: good('late') });
  expect([answered.status, answered.body.code]).toEqual([410, 'interaction_expired']);
});

test('filters find by status and by operation, past pages on which nothing fits', async () => {
  const { one } = replicas;
  const { mcp, id: tenant } = await createTestTenant(one);
  const rare = await one.delegate(mcp, 'bench_fan', { n: 2 });
  await one.send('POST', `/v1/interactions/${rare.interactionId}/cancel`, { token: mcp });
  await Promise.all(Array.from({ length: 60 }, () => one.delegate(mcp)));
  const list = async (query: string) => {
    const { body } = await one.send('GET', `/v1/tenants/${tenant}/interactions?${query}`, {
      token: TEST_OPERATOR_TOKEN,
    });
    return body;
  };
  expect(idsOf(await list('status=cancelled'))).toEqual([rare.interactionId]);
  expect(idsOf(await list('operation=bench_fan&status=pending&cursor='))).toHaveLength(1);
  expect(idsOf(await list('operation=bench_fan'))).toHaveLength(2);

  const all = new Set<string>();
  let cursor = '';
  do {
    const page = await list(`status=pending&cursor=${cursor}`);
    for (const id of idsOf(page)) all.add(id);
    cursor = page.nextCursor ?? '';
  } while (cursor !== '');
  expect(all.size).toBe(61);
});
