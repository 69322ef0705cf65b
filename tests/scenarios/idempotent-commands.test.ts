import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '@baton/runner';
import { Store } from '@baton/store';
import { ReplyLosingProxy } from '../proxies/reply-losing-proxy.ts';
import { InProcessDeployment, SECRET } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';

/** A command lands once: under its idempotency key whoever repeats it, and without one whatever connection breaks. */
let baton: InProcessDeployment;
let bob: string;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  bob = await baton.createKey({ principal: 'bob' });
});
afterAll(async () => baton?.stop());

let calls = 0;

async function call(name: string, args: object, key?: string, { gateway = 0, apiKey = baton.apiKey } = {}) {
  const meta = key === undefined ? {} : { _meta: { 'baton/idempotencyKey': key } };
  const { body } = await postJsonRpc(baton.url(gateway), apiKey, {
    jsonrpc: '2.0',
    id: ++calls,
    method: 'tools/call',
    params: { name, arguments: args, ...meta },
  });
  return body.result.structuredContent as AnyJson;
}

async function projectWithTask(projectRoot: string) {
  await call('initialize_project', { projectRoot });
  const tasks = [{ id: 1, title: 'T', subtasks: [] }];
  const tenant = baton.store.tenant('acme');
  await runCommand(tenant, projectRoot, { command: 'import', file: { master: { tasks } } });
  return async () => (await call('get_task', { projectRoot, id: '1' })).task.subtasks as AnyJson[];
}

describe('a command with an idempotency key', () => {
  test('that is repeated returns its first result, on any gateway, and adds nothing', async () => {
    const subtasks = await projectWithTask('repeat');
    const add = { projectRoot: 'repeat', id: '1', title: 'Once' };
    const first = await call('add_subtask', add, 'k1');
    expect(first).toMatchObject({ id: '1.1', subtask: { title: 'Once' } });
    expect(first.replayed).toBeUndefined();
    expect(await call('add_subtask', add, 'k1', { gateway: 1 })).toEqual({ ...first, replayed: true });
    expect(await subtasks()).toHaveLength(1);
    expect(await call('add_subtask', add), 'without a key it is another').toMatchObject({ id: '1.2' });
  });

  test('is answered alike after what it changed is gone', async () => {
    await projectWithTask('tags');
    await call('add_tag', { projectRoot: 'tags', name: 'old' });
    const remove = { projectRoot: 'tags', name: 'old' };
    const first = await call('delete_tag', remove, 'gone');
    expect(await call('delete_tag', remove, 'gone')).toEqual({ ...first, replayed: true });
    expect((await call('delete_tag', remove)).error.code).toBe('tag_not_found');
  });

  test('deletes no project of the same name that was created since, and is not told that there is none', async () => {
    const args = { projectRoot: 'gone' };
    await projectWithTask('gone');
    const first = await call('delete_project', args, 'gone');
    expect(first).toEqual({ ...args, deleted: true });
    const again = () => call('delete_project', args, 'gone', { gateway: 1 });
    expect(await again(), 'while there is none').toEqual({ ...first, replayed: true });
    await projectWithTask('gone');
    expect(await again()).toEqual({ ...first, replayed: true });
    expect((await call('get_task', { ...args, id: '1' })).task).toMatchObject({ title: 'T' });
    const other = await call('delete_project', { projectRoot: 'other' }, 'gone');
    expect(other.error.code).toBe('idempotency_conflict');
    expect(await call('delete_project', args, undefined, { gateway: 1 })).toEqual(first);
    expect((await call('get_task', { ...args, id: '1' })).error.code).toBe('project_not_found');
    expect((await call('delete_project', args, 'new')).error.code).toBe('project_not_found');
  });

  test('is a conflict with other arguments; another tool or principal has keys of its own', async () => {
    const subtasks = await projectWithTask('scoped');
    const add = { projectRoot: 'scoped', id: '1', title: 'A' };
    await call('add_subtask', add, 'same');
    expect((await call('add_subtask', { ...add, title: 'B' }, 'same')).error.code).toBe(
      'idempotency_conflict',
    );
    const status = { projectRoot: 'scoped', id: '1', status: 'review' };
    expect((await call('set_task_status', status, 'same')).updated).toHaveLength(1);
    expect((await call('add_subtask', add, 'same', { apiKey: bob })).id).toBe('1.2');
    expect(await subtasks()).toHaveLength(2);
    expect((await call('add_subtask', add, '')).error).toMatchObject({
      code: 'invalid_arguments',
      field: '_meta.baton/idempotencyKey',
    });
  });

  test('lands once when it is sent ten times at once', async () => {
    const subtasks = await projectWithTask('race');
    const add = { projectRoot: 'race', id: '1', title: 'Once' };
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => call('add_subtask', add, 'race', { gateway: n % 2 })),
    );
    expect(replies.filter(({ replayed }) => replayed !== true)).toHaveLength(1);
    expect(new Set(replies.map(({ id }) => id))).toEqual(new Set(['1.1']));
    expect(await subtasks()).toHaveLength(1);
  });

  test('that was refused keeps nothing: it may succeed later', async () => {
    await projectWithTask('refused');
    const remove = { projectRoot: 'refused', name: 'later' };
    expect((await call('delete_tag', remove, 'refused')).error.code).toBe('tag_not_found');
    await call('add_tag', { projectRoot: 'refused', name: 'later' });
    expect(await call('delete_tag', remove, 'refused')).toMatchObject({ tag: 'later' });
  });
});

describe('an operation that ends in its first segment', () => {
  test('is a task, with a key, without one, or called as one, which task_status and tasks/get know', async () => {
    await projectWithTask('a task');
    const args = { projectRoot: 'a task' };
    await call('set_task_status', { ...args, id: '1', status: 'done' });
    const plain = await call('expand_all', args);
    const byKey = await call('expand_all', args, 'named');
    const headers = { 'mcp-protocol-version': '2025-11-25' };
    const rpc = async (method: string, params: object): Promise<AnyJson> => {
      const body = { jsonrpc: '2.0', id: ++calls, method, params };
      return (await postJsonRpc(baton.url(1), baton.apiKey, body, headers)).body.result;
    };
    const created = await rpc('tools/call', { name: 'expand_all', arguments: args, task: {} });
    const byTask = (await rpc('tasks/result', { taskId: created.task.taskId })).structuredContent;
    const { taskId: _, ...result } = byKey;
    expect(byTask).toEqual({ ...result, taskId: created.task.taskId });
    for (const { taskId } of [plain, byKey, byTask]) {
      expect(await call('task_status', { taskId })).toMatchObject({
        status: 'completed',
        operation: 'expand_all',
        result: { ...result, taskId },
      });
      expect(await rpc('tasks/get', { taskId })).toMatchObject({ taskId, status: 'completed' });
    }
  });

  test('keeps its key: a repetition returns the same result, whatever has changed since', async () => {
    await projectWithTask('ended');
    await call('set_task_status', { projectRoot: 'ended', id: '1', status: 'done' });
    const all = { projectRoot: 'ended' };
    const first = await call('expand_all', all, 'nothing');
    expect(first).toMatchObject({ status: 'completed', taskId: expect.any(String) });
    await call('set_task_status', { projectRoot: 'ended', id: '1', status: 'pending' });
    expect(await call('expand_all', all, 'nothing', { gateway: 1 })).toEqual(first);
    expect((await call('expand_all', { ...all, force: true }, 'nothing')).error.code).toBe(
      'idempotency_conflict',
    );
    expect((await call('expand_all', all)).status, 'without its key it delegates now').not.toBe('completed');
  });
});

test('a command whose reply is lost lands once, and is told as it went', async () => {
  const subtasks = await projectWithTask('lost');
  const path = baton.redisUrl.replace('unix://', '');
  const proxy = await ReplyLosingProxy.open(`${path}.lossy`, path);
  const store = await Store.open({ url: proxy.url, secret: SECRET, replica: 'lossy' });
  const tenant = store.tenant('acme');
  const lose = <T>(send: () => Promise<T>) => proxy.loseReply(':landed', async () => {}, send);
  const subtask = {
    title: 'Once',
    description: '',
    details: '',
    testStrategy: '',
    status: 'pending',
    dependencies: '',
  };
  const [added, lost] = await lose(() =>
    runCommand(tenant, 'lost', { command: 'add_subtask', id: 1, subtask: subtask as never }),
  );
  expect(lost.lost, 'its reply was lost, and it was sent again').toBe(lost.second);
  expect(lost.lost).toContain('committed');
  expect(added.outcome).toMatchObject({ id: '1.1' });
  expect(await subtasks()).toHaveLength(1);
  await runCommand(tenant, 'lost', { command: 'add_tag', name: 'old' });
  const [deleted] = await lose(() => runCommand(tenant, 'lost', { command: 'delete_tag', name: 'old' }));
  expect(deleted).toMatchObject({ replayed: false, outcome: { tag: 'old' } });
  await store.close();
  proxy.close();
});
