import { randomUUID } from 'node:crypto';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';

/**
 * What a call examines in Redis is bounded, whatever its tenant has stored and whatever it returns. Every tool that only
 * reads, every GET route and every resource is called with filters that match nothing and with none, beside a little and
 * beside a lot of data; commands and bytes are counted by Redis.
 */

/** Both are more than a call scans of any index. */
const [LITTLE, MUCH] = [
  { tasks: 9_000, projects: 1_500, prompts: 20 },
  { tasks: 18_000, projects: 4_500, prompts: 200 },
];
const BODY = 'x'.repeat(4_000);
/** Of one call: commands that scripts and clients run, and bytes that leave Redis. */
const MOST = { commands: 1_500, bytes: 4 * 1_048_576 };

let baton: InProcessDeployment;
let redis: Redis;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 0, writesKeys: true });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

interface Work {
  readonly commands: number;
  readonly bytes: number;
}

/** What Redis has done so far; the reading itself counts as well, and is small. */
async function workSoFar(): Promise<Work> {
  const [commands, stats] = [await redis.info('commandstats'), await redis.info('stats')];
  const calls = [...commands.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)].filter(([, name]) => name !== 'info');
  return {
    commands: calls.reduce((sum, [, , count]) => sum + Number(count), 0),
    bytes: Number(/total_net_output_bytes:(\d+)/.exec(stats)?.[1]),
  };
}

/** Tasks as OPEN leaves them: a quarter pending, the rest cancelled, each with a large request. */
async function storeTasks(tenant: string, count: number): Promise<string> {
  const { keys } = baton.store.tenant(tenant);
  let interactionId = '';
  const now = Date.now();
  for (let done = 0; done < count; ) {
    const pipeline = redis.pipeline();
    for (let n = 0; n < 500 && done < count; n++, done++) {
      const taskId = taskIdFromUuid(randomUUID());
      const { task, ref } = keys.taskNames(taskId);
      interactionId = formatInteractionId(taskId, 1);
      const isPending = done % 4 === 0;
      const messages = [{ role: 'user', content: BODY }];
      const request = { apiKey: null, modelId: 'any', messages };
      const call = { role: 'main', serviceType: 'generateText', attempt: 1, summary: 's', request };
      const created = now + Math.floor(done / 100);
      pipeline.hset(task, {
        pr: 'ann',
        op: 'agent_llm 1',
        in: '{}',
        at: created,
        ex: now + 9e6,
        sq: 1,
        i1: `${created};${JSON.stringify({ call })}`,
        s1: `${created};main;generateText;1;"s"`,
        ...(isPending ? { open: `1;${now + 9e6};llm;0`, st: 'input_required' } : {}),
        ...(isPending ? {} : { open: '', x1: `cancelled;${created}`, rs: '{"code":"x","message":"y"}' }),
        ...(isPending ? {} : { st: 'cancelled' }),
      });
      pipeline.zadd(keys.tasks, created, `${ref}|ann`);
      if (isPending) pipeline.zadd(keys.pending, created, `${ref}.1|ann`);
    }
    await pipeline.exec();
  }
  return interactionId;
}

async function storeProjects(tenant: string, count: number): Promise<void> {
  const { keys } = baton.store.tenant(tenant);
  const pipeline = redis.pipeline();
  const file = { master: { tasks: [{ id: 1, title: 'T', description: 'd' }] } };
  await fetch(`${baton.url()}/v1/tenants/${tenant}/projects/p`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(file),
  });
  const fields = await redis.hgetall(keys.project('p'));
  for (let n = 0; n < count; n++) {
    pipeline.hset(keys.project(`p${n}`), fields);
    pipeline.zadd(keys.projects, 0, `p${n}`);
  }
  await pipeline.exec();
}

/** Prompts that no list of MCP shows, each with much to be shown. */
async function storePrompts(tenant: string, count: number): Promise<void> {
  const { prompts } = baton.store.tenant(tenant);
  const operator = await baton.store.tenant(tenant).operatorCaller().admit(['admin']);
  const summary = { public: false, arguments: Array(10).fill({ name: 'x', description: BODY }) };
  const definition = { name: 'p', text: 'x', public: false, arguments: [] };
  for (let n = 0; n < count; n++) await prompts.put(operator, `p${n}`, { definition, summary });
}

/** A tenant whose principal ann has this much. */
async function tenantWith({ tasks, projects, prompts }: typeof MUCH) {
  const tenant = `work-${tasks}`;
  await baton.addTenant(tenant, { requestsPerSecond: 1_000_000, burst: 1_000_000 });
  const interactionId = await storeTasks(tenant, tasks);
  await storeProjects(tenant, projects);
  await storePrompts(tenant, prompts);
  const scopes = ['mcp', 'agent', 'admin'] as const;
  const all = await baton.createKey({ principal: 'ann', scopes: [...scopes] }, tenant);
  const nobody = await baton.createKey({ principal: 'bob', scopes: ['mcp'] }, tenant);
  return { tenant, all, nobody, interactionId };
}
type Stored = Awaited<ReturnType<typeof tenantWith>>;

interface Reading {
  readonly name: string;
  run(stored: Stored, key: string): Promise<unknown>;
}

const mcp = (name: string, method: string, params: (stored: Stored) => object): Reading => ({
  name,
  run: (stored, key) =>
    postJsonRpc(baton.url(), key, { jsonrpc: '2.0', id: 1, method, params: params(stored) }),
});
const rest = (path: string): Reading => ({
  name: `GET ${path}`,
  run: async (stored, key) => {
    const filled = path.replace('{id}', stored.interactionId).replace('{tenant}', stored.tenant);
    const reply = await fetch(`${baton.url()}${filled}`, { headers: { authorization: `Bearer ${key}` } });
    // A stream has done its reads when it begins, and does not end.
    const isStream = reply.headers.get('content-type') === 'text/event-stream';
    return isStream ? reply.body?.cancel() : reply.text();
  },
});
const askPending = (given: object) =>
  mcp(`pending_interactions ${JSON.stringify(given)}`, 'tools/call', () => ({
    name: 'pending_interactions',
    arguments: given,
  }));

const STATUSES = ['pending', 'answered', 'expired', 'cancelled'];
const FILTERS = [{}, { role: 'fallback' }, { operation: 'no_such' }, { role: 'main' }];

/** What a reading is given, generated from the listings of the server itself. */
async function readings(stored: Stored): Promise<Reading[]> {
  const list = async (method: string) =>
    (await postJsonRpc(baton.url(), stored.all, { jsonrpc: '2.0', id: 1, method, params: {} })).body;
  const { tools } = (await list('tools/list')).result;
  const reading = tools.filter(({ annotations }: AnyJson) => annotations.readOnlyHint);
  const { resourceTemplates } = (await list('resources/templates/list')).result;
  const document = (await (await fetch(`${baton.url()}/v1/openapi.json`)).json()) as AnyJson;
  const routes = Object.entries<AnyJson>(document.paths).filter(
    ([path, methods]) => methods.get !== undefined && !path.includes('/tenants'),
  );
  const taskIdOf = (id: string) => `${id.slice(0, 32)}0000`;
  return [
    ...STATUSES.flatMap((status) => FILTERS.map((filter) => askPending({ status, ...filter }))),
    ...STATUSES.map((status) => askPending({ status, requests: true })),
    askPending({ role: 'fallback', claim: { max: 50, leaseMs: 1_000 } }),
    askPending({ claim: { leaseMs: 0, holder: 'x' } }),
    ...reading.map(({ name }: AnyJson) =>
      mcp(name, 'tools/call', ({ interactionId }) => ({
        name,
        arguments:
          name === 'task_status' ? { taskId: taskIdOf(interactionId) } : { projectRoot: 'p1', id: '1' },
      })),
    ),
    mcp('prompts/list', 'prompts/list', () => ({})),
    mcp('resources/list', 'resources/list', () => ({})),
    ...resourceTemplates.map(({ uriTemplate }: AnyJson) =>
      mcp(uriTemplate, 'resources/read', ({ interactionId }) => ({
        uri: uriTemplate
          .replace(/\{\?\w+\}/, '')
          .replace('{taskId}', taskIdOf(interactionId))
          .replace('interactions/{id}', `interactions/${interactionId}`)
          .replace(/\{\w+\}/g, '1')
          .replace('projects/1', 'projects/p1'),
      })),
    ),
    ...resourceTemplates.flatMap(({ uriTemplate }: AnyJson) =>
      [...uriTemplate.matchAll(/\{\??(\w+)\}/g)].map(([, variable]) =>
        mcp(`${uriTemplate} completes ${variable}`, 'completion/complete', () => ({
          ref: { type: 'ref/resource', uri: uriTemplate },
          argument: { name: variable, value: 'zzz' },
          context: { arguments: { project: 'p1' } },
        })),
      ),
    ),
    ...routes.flatMap(([path, { get }]) => {
      const filters = (get.parameters ?? []).filter(({ in: where }: AnyJson) => where === 'query');
      const named = filters.map(({ name }: AnyJson) => name as string);
      return [
        rest(path),
        ...(named.includes('operation') ? [rest(`${path}?operation=no_such`)] : []),
        ...(named.includes('status')
          ? ['answered', 'expired', 'completed', 'failed'].map((status) => rest(`${path}?status=${status}`))
          : []),
      ];
    }),
  ];
}

async function workOf(reading: Reading, stored: Stored, key: string): Promise<Work> {
  const before = await workSoFar();
  await reading.run(stored, key);
  const after = await workSoFar();
  return { commands: after.commands - before.commands, bytes: after.bytes - before.bytes };
}

describe('work of a call', () => {
  test('is bounded for every tool, resource and route that reads, whatever is stored', {
    timeout: 180_000,
  }, async () => {
    const [some, many] = [await tenantWith(LITTLE), await tenantWith(MUCH)];
    const all = await readings(some);
    expect(all.length).toBeGreaterThan(60);
    for (const reading of all) {
      for (const who of ['all', 'nobody'] as const) {
        const [little, much] = [
          await workOf(reading, some, some[who]),
          await workOf(reading, many, many[who]),
        ];
        const label = `${reading.name} as ${who}: ${JSON.stringify(little)} beside ${JSON.stringify(much)}`;
        expect(much.commands, label).toBeLessThan(MOST.commands);
        expect(much.bytes, label).toBeLessThan(MOST.bytes);
        expect(much.commands, label).toBeLessThan(little.commands * 1.2 + 40);
        expect(much.bytes, label).toBeLessThan(little.bytes * 1.2 + 40_000);
      }
    }
  });
});
