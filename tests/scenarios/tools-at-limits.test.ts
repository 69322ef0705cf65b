import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { TOOL_ARGUMENTS } from './tool-arguments.ts';

/** Every tool that takes a project, on one of some 8 MiB: what a call moves, to Redis and from it, is less than a third of that. */
const MOST_BYTES = 2_621_440;
const TASKS = 400;

let baton: InProcessDeployment;
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start({
    gateways: 1,
    workers: 0,
    limits: { requestBytes: 8 * 1_048_576 },
  });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
  const tasks = Array.from({ length: TASKS }, (_, at) => ({
    id: at + 1,
    title: `Task ${at + 1}`,
    details: 'x'.repeat(8_000),
    dependencies: at > 0 ? [at] : [],
    subtasks: [{ id: 1, title: 'Part', details: 'y'.repeat(2_000) }],
  }));
  const { status } = await fetch(`${baton.url()}/v1/projects/large`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ master: { tasks } }),
  });
  if (status !== 200) throw new Error(`the project is refused with ${status}`);
  await callTool('copy_tag', { sourceName: 'master', targetName: 'copy' });
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

async function rpc(method: string, params: object): Promise<AnyJson> {
  return (await postJsonRpc(baton.url(), baton.apiKey, { jsonrpc: '2.0', id: 1, method, params })).body
    .result;
}

async function callTool(name: string, args: object): Promise<AnyJson> {
  return (await rpc('tools/call', { name, arguments: { projectRoot: 'large', ...args } })).structuredContent;
}

async function bytesOfRedis(): Promise<{ out: number; in: number }> {
  const stats = await redis.info('stats');
  const of = (name: string) => Number(new RegExp(`total_net_${name}_bytes:(\\d+)`).exec(stats)?.[1]);
  return { out: of('output'), in: of('input') };
}

test('no tool moves a project of 8 MiB to do its work', { timeout: 120_000 }, async () => {
  const { tools } = await rpc('tools/list', {});
  const onProjects = tools.filter(({ inputSchema }: AnyJson) => 'projectRoot' in inputSchema.properties);
  expect(onProjects.map(({ name }: AnyJson) => name).toSorted()).toEqual(
    Object.keys(TOOL_ARGUMENTS).toSorted(),
  );
  const found: string[] = [];
  for (const [name, args] of Object.entries(TOOL_ARGUMENTS)) {
    const before = await bytesOfRedis();
    const result = await callTool(name, args);
    const after = await bytesOfRedis();
    if (result.error !== undefined) found.push(`${name}: ${JSON.stringify(result.error)}`);
    const moved = { out: after.out - before.out, in: after.in - before.in };
    if (Math.max(moved.out, moved.in) > MOST_BYTES) found.push(`${name} moves ${JSON.stringify(moved)}`);
  }
  expect(found).toEqual([]);
});
