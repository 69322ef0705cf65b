import { DEFAULT_LIMITS } from '@baton/protocol';
import { startPrivateRedis } from '@baton/local-redis';
import { runEveryScript } from '@baton/store/testing/every-script';
import { ScriptMonitor } from '@baton/store/testing/script-monitor';
import { closeFixture, connectFixture } from '@baton/store/testing/store-fixture';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment, OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { inlineCodeIn, tablesOf } from './read-markdown-pages.ts';

/** What a deployment writes while it is used is what the page says: each key, its type, and each field of a hash. */
const PAGE = 'docs/data-model.md';

interface KeyRow {
  readonly name: string;
  readonly pattern: RegExp;
  readonly type: string;
  readonly fields: readonly RegExp[];
}

const FIELDS_OF_A_TASK = tablesOf(PAGE).find(({ header }) => header[0] === 'field')?.rows ?? [];

const rows: KeyRow[] = tablesOf(PAGE)
  .filter(({ header }) => header[0] === 'key')
  .flatMap((table) => table.rows)
  .map(([key = '', type = '', fields = '']) => {
    const [name = ''] = inlineCodeIn(key);
    const named = name.endsWith(':task:<ref>')
      ? FIELDS_OF_A_TASK.flatMap(([field = '']) => inlineCodeIn(field))
      : inlineCodeIn(fields);
    const pattern = patternOf(name, '[^:\\s]+');
    return { name, pattern, type, fields: named.map((field) => patternOf(field, '\\S+')) };
  });

/** A name with placeholders, as the names that it stands for. */
function patternOf(name: string, placeholder: string): RegExp {
  const parts = name.split(/<[^>]+>/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join(placeholder)}$`);
}

let baton: InProcessDeployment;
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start();
  redis = new Redis(baton.redisUrl.replace(/^unix:\/\//, ''));
  await useEverything();
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

/** Delegations, claims, chunks, sessions and projects: what leaves a key or a field behind. */
async function useEverything(): Promise<void> {
  const key = await baton.createKey({ scopes: ['mcp', 'agent'], expiresAt: '2099-01-01T00:00:00Z' });
  const client = await connectMcpClient(baton.url(), key);
  const call = (name: string, args: object, meta?: object) => callTool(client, name, args, meta);
  await call('initialize_project', { projectRoot: 'shop', name: 'Shop', rules: ['Be brief.'] });
  await call('connect_files', { projectRoot: 'shop', files: [{ name: 'prd.md', text: 'A shop.' }] });
  const plan = { prd: 'A shop.', numTasks: 1, projectRoot: 'shop', append: true };
  const first = await call('parse_prd', plan, { 'baton/idempotencyKey': 'once' });
  const tasks = [{ id: 1, title: 'Catalogue', description: 'Show it.' }];
  await call('agent_llm', { interactionId: first.interactionId, agentLLMResponse: successAnswer({ tasks }) });
  await call('analyze_project_complexity', { projectRoot: 'shop' });
  await call('pending_interactions', { claim: { max: 1, leaseMs: 60_000, holder: 'one' } });
  const requestParameters = { messages: [{ role: 'user', content: 'Say something.' }] };
  const stream = { originalCommand: 'chat', serviceType: 'streamText', requestParameters };
  const streamed = await call('agent_llm', { delegatedCallDetails: stream });
  const chunk = { status: 'streaming', sequence: 0, delta: 'Some' };
  await call('agent_llm', { interactionId: streamed.interactionId, agentLLMResponse: chunk });
  const cancelled = await call('agent_llm', { delegatedCallDetails: stream });
  await call('cancel_task', { taskId: cancelled.taskId });
  // A wait that leaves this gateway's channel with the tenant.
  await call('pending_interactions', { operation: 'update', waitMs: 100 });
  await client.subscribeResource({ uri: 'baton://projects' });
  const ended = await connectMcpClient(baton.url(), key);
  await (ended.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
  await fetch(`${baton.url()}/v1/tenants`, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } });
}

test('every key that a deployment writes is on the page, with its type', async () => {
  const keys = (await redis.keys('*')).filter((key) => !key.includes(':bull:'));
  const unknown: string[] = [];
  const seen = new Set<string>();
  for (const key of keys) {
    const row = rows.find(({ pattern }) => pattern.test(key));
    const type = TYPES[await redis.type(key)];
    if (row?.type === type) seen.add(row?.name ?? '');
    else unknown.push(`${key}: ${type}`);
  }
  expect(unknown).toEqual([]);
  expect(seen.size, [...seen].join(' ')).toBeGreaterThan(17);
});

test('every field of a hash that a deployment writes is on the page', async () => {
  const unknown: string[] = [];
  for (const row of rows.filter(({ type }) => type === 'hash')) {
    const keys = (await redis.keys('*')).filter((key) => row.pattern.test(key) && !key.includes(':bull:'));
    for (const key of keys)
      for (const field of await redis.hkeys(key)) {
        if (row.fields.some((pattern) => pattern.test(field))) continue;
        // The page says of a tenant's limits that there is a field for each.
        if (row.name.endsWith(':t:<tenant>') && field in DEFAULT_LIMITS) continue;
        unknown.push(`${row.name}: ${field}`);
      }
  }
  expect([...new Set(unknown)]).toEqual([]);
});

test('each field of a task is written by the scripts that the page names, and by no other', {
  timeout: 60_000,
}, async () => {
  const server = await startPrivateRedis();
  const fixture = await connectFixture(server.url);
  const monitor = await ScriptMonitor.open(server.url);
  const tenant = await fixture.createTenant();
  await runEveryScript(fixture, tenant);
  const names = FIELDS_OF_A_TASK.map(([cell = '']) => inlineCodeIn(cell)[0] ?? '');
  const patterns = names.map((name) => ({
    name,
    pattern: patternOf(name, /number/.test(name) ? '\\d+' : '\\S+'),
  }));
  const written = new Set<string>();
  for (const { script, commands } of await monitor.runs()) {
    for (const [command = '', key = '', ...args] of commands) {
      if (!key.startsWith(`${tenant.keys.tenant}:task:`) || !/^(hset|hdel)$/i.test(command)) continue;
      const fields = /hset/i.test(command) ? args.filter((_, at) => at % 2 === 0) : args;
      for (const field of fields) {
        const of = patterns.filter(({ pattern }) => pattern.test(field)).map(({ name }) => name);
        written.add(`${of.join(' and ') || `unknown ${field}`} by ${script}`);
      }
    }
  }
  const promised = FIELDS_OF_A_TASK.flatMap(([, , , writers = ''], at) =>
    inlineCodeIn(writers).map((script) => `${names[at]} by ${script}`),
  );
  expect([...written].toSorted()).toEqual(promised.toSorted());
  monitor.close();
  await closeFixture(fixture);
  await server.stop();
});

const TYPES: Readonly<Record<string, string>> = {
  hash: 'hash',
  zset: 'sorted set',
  set: 'set',
  list: 'list',
  string: 'string',
};
