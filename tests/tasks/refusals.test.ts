import { randomUUID } from 'node:crypto';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, callToolForError } from '../harness/mcp-client.ts';
import { TaskFixture } from './task-fixture.ts';

/** What is wrong with a request about a task is told by field; what is another's is told as what does not exist. */
let fixture: TaskFixture;
let bob: string;
let stranger: string;
beforeAll(async () => {
  fixture = await TaskFixture.start();
  bob = await fixture.baton.createKey({ principal: 'bob' });
  stranger = await fixture.baton.addTenant('strangers');
});
afterAll(() => fixture?.stop());

const BY_ID = ['tasks/get', 'tasks/result', 'tasks/cancel'];

test('a task of another is refused as one that never existed, before anything else is looked at [tasks-tenancy]', async () => {
  const { taskId } = await fixture.echo('mine');
  const workflow = await fixture.workflowTask();
  const ended = (await fixture.echo('ended')).taskId;
  await fixture.result('tasks/cancel', { taskId: ended });
  const never = taskIdFromUuid(randomUUID());
  const without = (error: AnyJson, id: string) => JSON.stringify(error).replaceAll(id, '@id');
  const requests: [string, (id: string) => object][] = [
    ...BY_ID.map((method): [string, (id: string) => object] => [method, (id) => ({ taskId: id })]),
    ['tasks/cancel', (id) => ({ taskId: id, result: { done: true } })],
  ];
  for (const [method, params] of requests) {
    for (const key of [bob, stranger]) {
      const expected = await fixture.error(method, params(never), { key });
      expect([method, expected.code, expected.data.code]).toEqual([method, -32602, 'task_not_found']);
      for (const id of [taskId, workflow, ended])
        expect(without(await fixture.error(method, params(id), { key, at: 1 }), id)).toBe(
          without(expected, never),
        );
    }
  }
  for (const id of [taskId, workflow])
    expect((await fixture.result('tasks/get', { taskId: id })).status).not.toBe('cancelled');
});

test('an id that is none, of every kind, is refused with -32602 [tasks-tenancy]', async () => {
  const { taskId, interactionId } = await fixture.echo('kinds');
  const unknown = [
    'x',
    '-1',
    '__proto__',
    '\u0000',
    'é\u2028"\\',
    '../../x',
    `${taskId} `,
    taskId.toUpperCase(),
    interactionId,
    formatInteractionId(taskId, 65_535),
    'x'.repeat(100),
  ];
  for (const method of BY_ID) {
    for (const id of unknown) {
      const error = await fixture.error(method, { taskId: id });
      expect([method, id, error.code, error.data.code]).toEqual([method, id, -32602, 'task_not_found']);
    }
    for (const id of [7, null, true, [], {}, [taskId], '', 'x'.repeat(101), undefined]) {
      const { code, message } = await fixture.error(method, { taskId: id });
      expect([method, id, code, message.includes('params.taskId')]).toEqual([method, id, -32602, true]);
      expect(message.length).toBeLessThan(500);
    }
    const bare = await fixture.error(method, []);
    expect(bare.code).toBe(-32602);
  }
  for (const id of unknown.filter((one) => one !== ''))
    expect(
      await callToolForError(fixture.clients[0], 'complete_task', { taskId: id, result: {} }),
    ).toMatchObject({ code: 'task_not_found' });
  expect(await fixture.result('tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
});

test('a result that cannot be taken is refused by its name, and its task goes on [tasks-complete]', async () => {
  const taskId = await fixture.workflowTask();
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  const refused: [unknown, string][] = [
    ...['x', 7, true, [], [{}]].map((one): [unknown, string] => [one, 'expected']),
    [{ text: 'x'.repeat(300_000) }, '262144 bytes'],
    [{ text: 'é'.repeat(140_000) }, '262144 bytes'],
    [{ text: 'x'.repeat(900_000) }, '262144 bytes'],
    [deep(58), '56 levels'],
  ];
  for (const [result, problem] of refused) {
    const { code, message } = await fixture.error('tasks/cancel', { taskId, result });
    expect([code, message]).toEqual([
      -32602,
      expect.stringMatching(new RegExp(`params\\.result.*${problem}`)),
    ]);
    const {
      code: toolCode,
      field,
      message: told,
    } = await callToolForError(fixture.clients[0], 'complete_task', {
      taskId,
      result,
    });
    expect([toolCode, field, told.includes(problem)]).toEqual(['invalid_arguments', 'result', true]);
  }
  const missing = await callToolForError(fixture.clients[0], 'complete_task', { taskId });
  expect(missing).toMatchObject({ code: 'invalid_arguments', field: 'result' });
  // More than a body may hold is refused as a body.
  const body = await fixture.rpc('tasks/cancel', { taskId, result: { text: 'x'.repeat(1_100_000) } });
  expect([body.status, body.body.error.data.code]).toEqual([413, 'limit_size']);
  expect(await fixture.result('tasks/get', { taskId })).toMatchObject({ status: 'working' });
  const largest = { text: 'x'.repeat(262_144 - '{"text":""}'.length) };
  await fixture.result('tasks/cancel', { taskId, result: largest });
  const { structuredContent } = await fixture.result('tasks/result', { taskId }, { at: 1 });
  expect(structuredContent).toEqual(largest);
});

test('a result of many bytes is shown wherever its task is', async () => {
  const taskId = await fixture.workflowTask();
  const result = { rows: Array.from({ length: 3_000 }, (_, n) => ({ n, text: `row ${n}` })) };
  const held = fixture.result('tasks/result', { taskId }, { at: 1 });
  await fixture.held(taskId);
  // Over what a notice to a waiting replica carries: it is read there.
  expect(JSON.stringify(result).length).toBeGreaterThan(65_536);
  await callTool(fixture.clients[0], 'complete_task', { taskId, result });
  expect((await held).structuredContent).toEqual(result);
  expect((await callTool(fixture.clients[1], 'task_status', { taskId })).result).toEqual(result);
});

test('an agent sees the tasks of its tenant and ends none of another, an admin ends them, and a key without the scopes is refused before its params are read [tasks-tenancy]', async () => {
  const agent = await fixture.baton.createKey({ scopes: ['agent'], principal: 'agent' });
  const admin = await fixture.baton.createKey({ scopes: ['admin'], principal: 'admin' });
  const taskId = await fixture.workflowTask();
  for (const method of [...BY_ID, 'tasks/list']) {
    const { status, body } = await fixture.rpc(method, { taskId: 7 }, { key: admin });
    expect([method, status, body.error.data.code]).toEqual([method, 403, 'insufficient_scope']);
  }
  const result = { by: 'agent' };
  const tool = (name: string, args: object) => ({ name, arguments: args });
  for (const [method, params] of [
    ['tasks/cancel', { taskId }],
    ['tasks/cancel', { taskId, result }],
    ['tools/call', tool('cancel_task', { taskId })],
    ['tools/call', tool('complete_task', { taskId, result })],
  ] as const) {
    const { status, body } = await fixture.rpc(method, params, { key: agent });
    const error = body.error?.data ?? body.result.structuredContent.error;
    expect([method, error.code, error.scope]).toEqual([method, 'insufficient_scope', 'admin']);
    expect(status, 'a tool tells it in its result, as HTTP').toBe(403);
  }
  expect((await fixture.result('tasks/get', { taskId }, { key: agent })).status).toBe('working');
  // It need not have the scope agent beside: what it has ended it may see.
  const adminWhoCalls = await fixture.baton.createKey({ scopes: ['mcp', 'admin'], principal: 'root' });
  const ended = await fixture.result(
    'tasks/cancel',
    { taskId, result: { by: 'admin' } },
    { key: adminWhoCalls },
  );
  expect(ended.status).toBe('completed');
  expect((await fixture.result('tasks/result', { taskId })).structuredContent).toEqual({ by: 'admin' });
  for (const end of ['cancel_task', 'complete_task']) {
    const another = await fixture.workflowTask();
    const args = { taskId: another, ...(end === 'complete_task' ? { result } : {}) };
    const reply = await fixture.result('tools/call', tool(end, args), { key: adminWhoCalls });
    expect([end, reply.isError]).toEqual([end, undefined]);
  }
  const params = { name: 'bench_echo', arguments: { text: 'x' }, task: {} };
  const { status, body } = await fixture.rpc('tools/call', params, { key: agent });
  expect([status, body.error.data.code]).toEqual([403, 'insufficient_scope']);
});
