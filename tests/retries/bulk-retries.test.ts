import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, connectMcpClient, callTool } from '../harness/mcp-client.ts';
import { FATAL, RetryFixture } from './retry-fixture.ts';

let fixture: RetryFixture;
let other: string;
let ann: string;
beforeAll(async () => {
  fixture = await RetryFixture.start({ limits: { openTasks: 40 } });
  other = await fixture.baton.createKey({ scopes: ['mcp'], principal: 'other' });
  ({ principal: ann } = (await fixture.rest('GET', `/v1/tasks/${await fixture.failed('first')}`)).body);
});
afterAll(() => fixture?.baton.stop());

const bulk = async (body: object, token?: string): Promise<AnyJson> => {
  const { status, body: reply } = await fixture.rest('POST', '/v1/tasks/retry', body, token);
  expect([status, reply.detail]).toEqual([200, undefined]);
  return reply;
};
const list = async (query: string, token?: string): Promise<AnyJson> =>
  (await fixture.rest('GET', query, undefined, token)).body;
const idsOf = (tasks: AnyJson[]) => tasks.map(({ taskId }) => taskId);

async function failMany(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push(await fixture.failed(`many ${at}`));
  return ids;
}

/** Every page of a list, by its cursor. */
async function walk(path: string, field: string, limit: number): Promise<AnyJson[]> {
  const found: AnyJson[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(`${path}&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    expect(page[field].length).toBeLessThanOrEqual(limit);
    found.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

test('a bulk retry does what its dry run says, page by page, and nothing twice', async () => {
  const failed = await failMany(5);
  const createdAfter = (await list(`/v1/tasks/${failed[0]}`)).createdAt;
  const filter = { operation: 'bench_echo', errorCode: 'agent_error', createdAfter };
  const dry = await bulk({ filter, dryRun: true });
  expect(idsOf(dry.tasks)).toEqual(failed.toReversed());
  expect(
    dry.tasks.every(({ result, status }: AnyJson) => result === 'would_be_retried' && status === 'failed'),
  ).toBe(true);
  expect(await bulk({ filter: { ...filter, errorCode: 'answer_invalid' } })).toMatchObject({ tasks: [] });
  const first = await bulk({ filter, limit: 2 });
  expect(idsOf(first.tasks)).toEqual(failed.toReversed().slice(0, 2));
  const second = await bulk({ filter, limit: 2, cursor: first.nextCursor });
  expect(idsOf(second.tasks)).toEqual(failed.toReversed().slice(2, 4));
  expect((await bulk({ filter })).tasks, 'the rest, however often it is asked').toMatchObject([
    { taskId: failed[0], result: 'retried' },
  ]);
  expect((await bulk({ filter })).tasks).toEqual([]);
  for (const taskId of failed) {
    const { pending } = await fixture.until(taskId, 'input_required');
    await fixture.value(pending.interactionId, 'v');
  }
});

test("without the scope admin it is of one's own tasks, whatever the filter says", async () => {
  const taskId = await fixture.failed('own');
  const agent = await fixture.baton.createKey({ scopes: ['agent'], principal: 'helper' });
  const filter = { operation: 'bench_echo' };
  expect((await bulk({ filter }, other)).tasks).toEqual([]);
  expect((await bulk({ filter }, agent)).tasks).toEqual([]);
  const { tasks } = await bulk({ filter: { ...filter, principal: ann } }, agent);
  expect(tasks.find((one: AnyJson) => one.taskId === taskId)).toMatchObject({
    result: 'refused',
    error: { code: 'insufficient_scope' },
  });
});

test('a limit ends it, says so, and the same call goes on', async () => {
  await bulk({ filter: {} });
  const failed = await failMany(4);
  const open: string[] = [];
  for (let full = false; !full; ) {
    const asked = await fixture.call('bench_echo', { text: 'x' }).catch(() => undefined);
    full = asked === undefined;
    if (!full) open.push(asked.taskId);
  }
  for (const taskId of open.splice(0, 2)) await fixture.call('cancel_task', { taskId });
  const stopped = await bulk({ filter: {} });
  expect(stopped).toMatchObject({ stopped: { code: 'limit_pending', limit: 'openTasks' } });
  expect(stopped.tasks).toHaveLength(2);
  for (const taskId of open) await fixture.call('cancel_task', { taskId });
  const { tasks } = await bulk({ filter: {} });
  expect(idsOf(tasks)).toEqual(failed.slice(0, 2).toReversed());
});

describe('lists', () => {
  test('of tasks are filtered by status, operation, principal and age, in pages of the size that is asked for', async () => {
    const before = new Date().toISOString();
    const failed = await failMany(3);
    const middle = new Date(Date.now() + 1).toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const client = await connectMcpClient(fixture.baton.url(), other);
    const theirs = await callTool(client, 'bench_echo', { text: 'theirs' });
    const all = await walk(`/v1/tasks?createdAfter=${before}`, 'tasks', 1);
    expect(idsOf(all)).toEqual([theirs.taskId, ...failed.toReversed()]);
    expect(idsOf(await walk(`/v1/tasks?createdAfter=${before}&status=failed`, 'tasks', 2))).toEqual(
      failed.toReversed(),
    );
    const until = `createdAfter=${before}&createdBefore=${middle}`;
    expect(idsOf(await walk(`/v1/tasks?${until}`, 'tasks', 200))).toEqual(failed.toReversed());
    expect(idsOf((await list(`/v1/tasks?principal=other&limit=1`)).tasks)).toEqual([theirs.taskId]);
    expect((await list(`/v1/tasks?principal=other`, await fixture.baton.createKey({}))).tasks).toEqual([]);
    const interactions = await walk(`/v1/interactions?status=pending&principal=other`, 'interactions', 1);
    expect(idsOf(interactions)).toEqual([theirs.taskId]);
    expect(
      await walk(
        `/v1/interactions?status=pending&principal=other&createdBefore=${middle}`,
        'interactions',
        9,
      ),
    ).toEqual([]);
    const closed = await walk(
      `/v1/interactions?${until}&principal=${ann}&status=answered`,
      'interactions',
      2,
    );
    expect(idsOf(closed)).toEqual(failed.toReversed());
    expect(idsOf(await walk(`/v1/interactions?createdAfter=${middle}`, 'interactions', 2))).toEqual([
      theirs.taskId,
    ]);
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['createdBefore=2026-13-01T00:00:00Z', 'createdBefore'],
  ])('with %s are refused by its name', async (query, field) => {
    for (const path of ['/v1/tasks', '/v1/interactions']) {
      const { status, body } = await fixture.rest('GET', `${path}?${query}`);
      expect([status, body.code, body.field]).toEqual([400, 'invalid_arguments', field]);
    }
  });
});

test('a timeline tells of a failure its reason, and of the retry who asked for it', async () => {
  const taskId = await fixture.failed('told');
  const { pending } = await fixture.retry(taskId);
  await fixture.answer(pending.interactionId, FATAL);
  const { timeline, status } = await list(`/v1/tasks/${taskId}`);
  expect(status).toBe('failed');
  expect(timeline.map(({ event }: AnyJson) => event)).toEqual([
    'created',
    'interaction_opened',
    'interaction_answered',
    'failed',
    'retried',
    'interaction_opened',
    'interaction_answered',
    'failed',
  ]);
  const reason = { code: 'agent_error', message: "The agent's LLM call failed: no such model" };
  expect([timeline[3].reason, timeline[4].by, timeline[7].reason]).toEqual([reason, ann, reason]);
});
