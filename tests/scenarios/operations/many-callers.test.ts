import { afterAll, beforeAll, expect, test } from 'vitest';
import { viewProject } from '@baton/runner';
import { Redis } from 'ioredis';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../../harness/mcp-client.ts';

/** Many callers that change one project at once, by tools that commit by themselves. */
const TASKS = 1_000;
const CALLERS = 64;

let baton: InProcessDeployment;
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

async function call(
  gateway: number,
  projectRoot: string,
  name: string,
  args: object,
  key = baton.apiKey,
): Promise<AnyJson> {
  const params = { name, arguments: { projectRoot, ...args } };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { body } = await postJsonRpc(baton.url(gateway), key, message);
  return body.result.structuredContent;
}

async function importTasks(projectRoot: string): Promise<void> {
  const tasks = Array.from({ length: TASKS }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    details: 'x'.repeat(200),
  }));
  const reply = await fetch(`${baton.url()}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  expect(reply.status).toBe(200);
}

/** How often a script read a project, and how much left Redis, while `work` ran. */
async function costOf(work: () => Promise<unknown>): Promise<{ bytes: number; calls: number }> {
  const stats = async () => {
    const bytes = Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
    const calls = Number(
      /cmdstat_evalsha(?:_ro)?:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0,
    );
    return { bytes, calls };
  };
  const before = await stats();
  await work();
  const after = await stats();
  return { bytes: after.bytes - before.bytes, calls: after.calls - before.calls };
}

test('changes of one project by 64 callers on two replicas are all made, and none is refused', async () => {
  const projectRoot = 'swarm';
  await importTasks(projectRoot);
  const replies = await Promise.all(
    Array.from({ length: CALLERS * 3 }, (_, n) => {
      const id = String(1 + n);
      if (n % 3 === 0) return call(n % 2, projectRoot, 'set_task_status', { id, status: 'in-progress' });
      if (n % 3 === 1) return call(n % 2, projectRoot, 'add_subtask', { id: '1', title: `Part ${n}` });
      return call(n % 2, projectRoot, 'add_task', { title: `Added ${n}`, description: 'At once.' });
    }),
  );
  expect(replies.filter(({ error }) => error !== undefined)).toEqual([]);
  const exported = await fetch(`${baton.url()}/v1/projects/${projectRoot}`, {
    headers: { authorization: `Bearer ${baton.apiKey}` },
  });
  const { tasks } = ((await exported.json()) as AnyJson).master;
  const ids = tasks.map(({ id }: AnyJson) => id);
  expect(ids).toEqual(Array.from({ length: TASKS + CALLERS }, (_, at) => at + 1));
  expect(tasks[0].subtasks.map(({ id }: AnyJson) => id)).toEqual(
    Array.from({ length: CALLERS }, (_, at) => at + 1),
  );
  expect(new Set(tasks[0].subtasks.map(({ title }: AnyJson) => title)).size).toBe(CALLERS);
  expect(new Set(tasks.slice(TASKS).map(({ title }: AnyJson) => title)).size).toBe(CALLERS);
  expect(tasks.filter(({ status }: AnyJson) => status === 'in-progress')).toHaveLength(CALLERS);
});

test('callers that start the next task of one project at the same time start different ones, each once', async () => {
  const projectRoot = 'divided';
  await importTasks(projectRoot);
  await call(0, projectRoot, 'set_task_status', { id: '1', status: 'in-progress' });
  await call(0, projectRoot, 'add_subtask', { id: '1', title: 'Part' });
  await call(0, projectRoot, 'add_dependency', { id: '2', dependsOn: '1' });
  const started = await Promise.all(
    Array.from({ length: CALLERS }, (_, n) => call(n % 2, projectRoot, 'start_next_task', {})),
  );
  const expected = ['1.1', ...Array.from({ length: CALLERS - 1 }, (_, at) => at + 3)];
  const byId = (ids: readonly unknown[]) => ids.map(String).sort();
  expect(byId(started.map(({ task }) => task.id))).toEqual(byId(expected));
  expect(new Set(started.map(({ task }) => task.status))).toEqual(new Set(['in-progress']));
  const { tasks } = await call(1, projectRoot, 'get_tasks', { status: 'in-progress', limit: 200 });
  expect(tasks).toHaveLength(CALLERS);
});

test('a start that is repeated under its idempotency key gives the same task, and starts no other', async () => {
  const projectRoot = 'repeated';
  for (const title of ['One', 'Two']) await call(0, projectRoot, 'add_task', { title, description: 'x' });
  const start = async (gateway: number) => {
    const params = {
      name: 'start_next_task',
      arguments: { projectRoot },
      _meta: { 'baton/idempotencyKey': 'start-1' },
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return (await postJsonRpc(baton.url(gateway), baton.apiKey, message)).body.result.structuredContent;
  };
  const first = await start(0);
  expect(first.task).toMatchObject({ id: 1, status: 'in-progress' });
  expect((await start(1)).task).toEqual(first.task);
  const { tasks } = await call(0, projectRoot, 'get_tasks', {});
  expect(tasks.map(({ status }: AnyJson) => status)).toEqual(['in-progress', 'pending']);
});

test('callers that meet in one process read what they share once', async () => {
  const projectRoot = 'shared';
  await importTasks(projectRoot);
  const set = (n: number) =>
    call(0, projectRoot, 'set_task_status', { id: String(1 + n), status: 'in-progress' });
  const one = await costOf(() => set(TASKS - 1));
  const many = await costOf(() => Promise.all(Array.from({ length: CALLERS }, (_, n) => set(n))));
  // Each reads the task that it changes and its part of the index; alone it reads who there is as well.
  expect(many.bytes / one.bytes, `${many.bytes} bytes of ${one.bytes}`).toBeLessThan(CALLERS / 3);
});

test('calls that wait behind one that Redis does not answer are refused with it, and do not wait for Redis one after the other', {
  timeout: 30_000,
}, async () => {
  const tenant = baton.store.tenant('acme');
  const read = () => viewProject(tenant, 'shared', (project) => project?.tags.size);
  expect(await read()).toBe(1);
  // Longer than a command waits: the second would be answered, if it were sent once the first has failed.
  await redis.call('CLIENT', 'PAUSE', '5500', 'ALL');
  const ends = await Promise.allSettled(Array.from({ length: 5 }, read));
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(
    Array(5).fill('unavailable'),
  );
  expect(await read()).toBe(1);
});

test('what a process keeps of a project is read with what another has changed, and another tenant has none of it', async () => {
  const projectRoot = 'kept';
  const titles = (gateway: number) => call(gateway, projectRoot, 'get_tasks', { limit: 5 });
  await call(0, projectRoot, 'add_task', { title: 'One', description: 'x' });
  for (let n = 0; n < 6; n++) {
    const writer = n % 2;
    await call(writer, projectRoot, 'set_task_status', {
      id: '1',
      status: n % 2 === 0 ? 'in-progress' : 'review',
    });
    for (const gateway of [0, 1])
      expect((await titles(gateway)).tasks[0].status).toBe(n % 2 === 0 ? 'in-progress' : 'review');
  }
  const foreignKey = await baton.addTenant('stranger');
  for (const gateway of [0, 1]) {
    const reply = await call(gateway, projectRoot, 'get_tasks', {}, foreignKey);
    expect(reply.error.code).toBe('project_not_found');
  }
  await call(1, projectRoot, 'delete_project', {});
  expect((await titles(0)).error.code).toBe('project_not_found');
  await call(1, projectRoot, 'add_task', { title: 'Other', description: 'x' });
  expect((await titles(0)).tasks.map(({ title }: AnyJson) => title)).toEqual(['Other']);
});
