import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportProject, runCommand, viewProject } from '@baton/runner';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';

/**
 * A project of some 8 MiB: calls move what they are about, and none computes with much of it in one turn of the event loop.
 * What is moved is counted by Redis, in both directions.
 */
const PROJECT = 'large';
const TASKS = 400;

let baton: InProcessDeployment;
let redis: Redis;

beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    limits: { requestBytes: 8 * 1_048_576, projectBytes: 32 * 1_048_576 },
    writesProjects: true,
  });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const tasks = Array.from({ length: TASKS }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    details: 'x'.repeat(8_000),
    dependencies: at > 0 ? [at] : [],
    subtasks: [{ id: 1, title: 'Part', details: 'y'.repeat(2_000) }],
  }));
  await put({ master: { tasks } });
  await call('copy_tag', { sourceName: 'master', targetName: 'copy' });
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

async function put(file: object, project = PROJECT): Promise<void> {
  const reply = await fetch(`${baton.url()}/v1/projects/${project}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(file),
  });
  if (reply.status !== 200) throw new Error(await reply.text());
}

async function call(name: string, args: object, meta: object = {}): Promise<AnyJson> {
  const params = { name, arguments: { projectRoot: PROJECT, ...args }, _meta: meta };
  const { body } = await postJsonRpc(baton.url(), baton.apiKey, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params,
  });
  return body.result.structuredContent;
}

/** What leaves and enters Redis while `body` runs. */
async function traffic<T>(body: () => Promise<T>): Promise<{ out: number; in: number; result: T }> {
  const stats = async () => {
    const text = await redis.info('stats');
    const of = (name: string) => Number(new RegExp(`total_net_${name}_bytes:(\\d+)`).exec(text)?.[1]);
    return { out: of('output'), in: of('input') };
  };
  const before = await stats();
  const result = await body();
  const after = await stats();
  return { out: after.out - before.out, in: after.in - before.in, result };
}

describe('a call on a large project moves what it is about', () => {
  test.each<[string, object, mostOut: number, mostIn: number]>([
    ['get_task', { id: '200' }, 60_000, 20_000],
    ['get_task', { id: '200.1' }, 60_000, 20_000],
    ['next_task', {}, 100_000, 20_000],
    ['validate_dependencies', {}, 100_000, 20_000],
    ['list_tags', {}, 150_000, 30_000],
    ['get_tasks', {}, 500_000, 30_000],
    ['complexity_report', {}, 60_000, 20_000],
    ['set_task_status', { id: '7', status: 'review' }, 150_000, 60_000],
    ['add_subtask', { id: '9', title: 'More' }, 150_000, 60_000],
    ['add_dependency', { id: '300', dependsOn: '5' }, 150_000, 60_000],
    ['move_task', { from: '400', to: '401' }, 150_000, 60_000],
    ['use_tag', { name: 'master' }, 100_000, 20_000],
    ['rename_tag', { oldName: 'copy', newName: 'renamed' }, 200_000, 150_000],
    ['copy_tag', { sourceName: 'renamed', targetName: 'second' }, 200_000, 150_000],
    ['delete_tag', { name: 'second' }, 200_000, 100_000],
    ['connect_files', { files: [{ name: 'a.md', text: 'A' }] }, 100_000, 20_000],
  ])('%s %j', async (name, args, mostOut, mostIn) => {
    const moved = await traffic(() => call(name, args));
    expect(moved.result.error).toBeUndefined();
    expect({ out: moved.out < mostOut, in: moved.in < mostIn }, `${moved.out} out, ${moved.in} in`).toEqual({
      out: true,
      in: true,
    });
  });

  test('a list comes in pages that together are the whole, and each says how far the tag is', async () => {
    const ids: number[] = [];
    let pages = 0;
    for (let after: string | undefined; ; pages++) {
      const page = await call('get_tasks', { withSubtasks: true, ...(after === undefined ? {} : { after }) });
      expect(page.stats.total).toBe(TASKS);
      ids.push(...page.tasks.map(({ id }: AnyJson) => id));
      if (page.nextAfter === undefined) break;
      after = String(page.nextAfter);
    }
    expect(pages).toBeGreaterThan(5);
    expect(new Set(ids).size).toBe(TASKS);
    expect(ids).toHaveLength(TASKS);
    expect((await call('get_tasks', { after: '9999' })).error.code).toBe('project_task_not_found');
  });

  test('a project comes out as it went in, while others change it', async () => {
    const tenant = baton.store.tenant('acme');
    let stop = false;
    const writer = (async () => {
      for (let n = 0; !stop; n++)
        await runCommand(tenant, PROJECT, {
          command: 'set_status',
          id: '1,400,401',
          status: n % 2 === 0 ? 'done' : 'pending',
        }).catch((refusal: { code?: string }) => {
          if (refusal.code !== 'project_task_not_found') throw refusal;
        });
    })();
    for (let n = 0; n < 5; n++) {
      const { master } = JSON.parse(await exportProject(tenant, PROJECT)) as AnyJson;
      expect(master.tasks).toHaveLength(TASKS);
      // Set by one command: whoever sees one of them sees both.
      expect(master.tasks[0].status).toBe(master.tasks.at(-1).status);
    }
    stop = true;
    await writer;
  });
});

test('no call parses more than a part of the project in one turn of the event loop', async () => {
  const tenant = baton.store.tenant('acme');
  const all = await exportProject(tenant, PROJECT);
  expect(all.length).toBeGreaterThan(7_000_000);
  const most = await jsonPerTurn(async () => {
    await exportProject(tenant, PROJECT);
    await viewProject(tenant, PROJECT, (project) =>
      project?.tags.get('master')?.tasks.map(({ title }) => title),
    );
    await runCommand(tenant, PROJECT, { command: 'clear_subtasks', tag: 'master' });
  });
  expect(most).toBeLessThan(all.length * 0.7);
  expect(await jsonPerTurn(async () => JSON.parse(all) as unknown), 'it is counted').toBeGreaterThan(
    7_000_000,
  );
});

/** The most characters that are parsed from JSON in one turn of the event loop while `body` runs. */
async function jsonPerTurn(body: () => Promise<unknown>): Promise<number> {
  const { parse } = JSON;
  let [most, now, running] = [0, 0, true];
  const turn = () => {
    [most, now] = [Math.max(most, now), 0];
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  JSON.parse = (text: string, ...more) => {
    now += text.length;
    return parse(text, ...more) as unknown;
  };
  try {
    await body();
  } finally {
    Object.assign(JSON, { parse });
    running = false;
  }
  return Math.max(most, now);
}
