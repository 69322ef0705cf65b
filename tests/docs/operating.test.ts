import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPrivateRedis } from '@baton/local-redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { GATEWAY_READY_LINE, WORKER_READY_LINE } from '../processes/baton-process.ts';
import { codeBlocksUnder, inlineCodeIn, REPOSITORY_ROOT, tableOf } from './read-markdown-pages.ts';
import { SourceCopy } from './source-copy.ts';

/** The commands of the page of operators, typed in a built clone; only addresses are those of the tests. */
const TOKEN = 'at-least-16-characters';

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let tree: SourceCopy;
let gateway = '';

/** The same command at the tests' Redis and gateway. */
const here = (command: string) =>
  command
    .replaceAll('redis://127.0.0.1:6379', redis.url)
    .replaceAll('PORT=8080', 'PORT=0')
    .replaceAll('http://127.0.0.1:8080', gateway)
    .replaceAll('port: 3000', 'port: 0');

beforeAll(async () => {
  redis = await startPrivateRedis({});
  tree = SourceCopy.create();
  const built = await tree.run('npm run build');
  if (built.code !== 0) throw new Error(built.said);
  const [roles = ''] = codeBlocksUnder('Roles');
  const [startGateway = '', startWorker = ''] = roles.trim().split('\n');
  const [, url = ''] = await tree.start(here(startGateway), GATEWAY_READY_LINE);
  gateway = url.replace('0.0.0.0', '127.0.0.1');
  await tree.start(here(startWorker), WORKER_READY_LINE);
}, 180_000);
afterAll(async () => {
  await tree?.end();
  await redis?.stop();
});

test('a tenant and a key, created as the page shows, are usable at once', async () => {
  const [commands = ''] = codeBlocksUnder('Tenants and keys');
  const { said } = await tree.run(here(commands));
  const [, key = ''] = /^(bt_acme_\S+)$/m.exec(said) ?? [];
  const asOperator = { headers: { authorization: `Bearer ${TOKEN}` } };
  const acme = (await (await fetch(`${gateway}/v1/tenants/acme`, asOperator)).json()) as AnyJson;
  expect(acme.limits.requestsPerSecond).toBe(500);
  const listed = await fetch(`${gateway}/v1/tasks`, { headers: { authorization: `Bearer ${key}` } });
  expect([listed.status, await listed.json()]).toEqual([200, { tasks: [] }]);
});

test('the dashboard that the page shows serves the queues of shard 0', async () => {
  const [commands = ''] = codeBlocksUnder('Queues and jobs');
  const [url = ''] = await tree.start(here(commands), /http:\S+\/queues/);
  const response = await fetch(`${url}/api/queues`);
  const { queues } = (await response.json()) as AnyJson;
  expect(queues.map(({ name }: AnyJson) => name)).toEqual(['resume', 'held', 'calls', 'deadlines']);
});

test('each metric of a gateway that the page names is reported', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const reported = await (await fetch(`${gateway}/metrics`, { headers })).text();
  const files = [
    'apps/gateway/src/monitoring/metrics.ts',
    'apps/gateway/src/monitoring/event-metrics.ts',
    'apps/gateway/src/monitoring/request-metrics.ts',
    'apps/gateway/src/edge/limits/edge-metrics.ts',
    'packages/runner/src/metrics/task-metrics.ts',
  ];
  const source = files.map((file) => readFileSync(join(REPOSITORY_ROOT, file), 'utf8')).join('');
  const named = tableOf('docs/operating.md', 'metric').map(([name = '']) => inlineCodeIn(name)[0] ?? '');
  const ofGateway = named.filter((name) => source.includes(name));
  expect(ofGateway.length).toBeGreaterThan(12);
  for (const name of ofGateway) expect(reported).toContain(`# TYPE ${name} `);
});

test('the routes that the page of clients names are those of the OpenAPI document', async () => {
  const { paths } = (await (await fetch(`${gateway}/v1/openapi.json`)).json()) as AnyJson;
  const described = Object.entries(paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^(\/v1)?/, '/v1')}`),
  );
  const byPath =
    /^\w+ \/v1\/tenants\/\{tenant\}\/(tools|resources|resource-templates|runnable-prompts|completions|interactions|tasks|projects|conversations|workflows|agents|prompts|roles|usage|prices|audit|events)/;
  const ownAndTools = described.filter((route) => !byPath.test(route));
  // Each tool has a route, which the page names as one: `POST /v1/tools/{name}`.
  const own = ownAndTools.filter((route) => !/^POST \/v1\/tools\/\w+$/.test(route));
  expect(ownAndTools.length).toBeGreaterThan(own.length + 30);
  const named = tableOf('docs/clients.md', 'route').flatMap(([routes = '']) => inlineCodeIn(routes));
  expect(named.toSorted()).toEqual(own.toSorted());
  expect(described.filter((route) => byPath.test(route))).toHaveLength(
    ownAndTools.filter((route) =>
      /\/v1\/(tools|resources|resource-templates|runnable-prompts|completions|interactions|tasks|projects|conversations|workflows|agents|prompts|roles|usage|prices|audit|events)/.test(
        route,
      ),
    ).length,
  );
});
