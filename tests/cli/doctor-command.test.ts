import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startPrivateRedis } from '@baton/local-redis';
import { refuseWrites } from '@baton/store/testing/refuse-writes';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeLlmServer } from '../fake-llm/llm-server.ts';
import { InProcessDeployment, OPERATOR_TOKEN, SECRET } from '../harness/in-process-deployment.ts';
import type { AnyJson } from '../harness/mcp-client.ts';
import { createTemporaryFolder } from '../processes/temporary-folder.ts';
import { runBaton } from './run-baton.ts';

/** `baton doctor` as typed, by the built command, in set-ups with one thing wrong. */
const folder = createTemporaryFolder('doctor');
let deployment: InProcessDeployment;
let llm: FakeLlmServer;
let well: Record<string, string>;

beforeAll(async () => {
  deployment = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  llm = await FakeLlmServer.start(() => ({ do: 'say', text: 'yes' }));
  const key = await deployment.createKey({ scopes: ['mcp', 'agent'], principal: 'ann' });
  well = { BATON_URL: deployment.url(), BATON_API_KEY: key, REDIS_URL: deployment.redisUrl };
});
afterAll(async () => {
  await llm?.close();
  await deployment?.stop();
});

async function doctor(environment: Record<string, string>) {
  const { code, said, complaints } = await runBaton(['doctor', '--json'], { cwd: folder, environment });
  if (said === '') throw new Error(complaints);
  const found = JSON.parse(said) as AnyJson[];
  return { code, found, wrong: found.filter(({ state }) => state === 'wrong') };
}
const textOf = (found: readonly AnyJson[], check: string): string =>
  found.find((one) => one.check === check)?.text ?? '';

test('of a set-up in which nothing is wrong each part is told: versions, Redis, worker, gateway, clock, key', async () => {
  const { code, found, wrong } = await doctor(well);
  expect([code, wrong]).toEqual([0, []]);
  for (const [check, text] of [
    ['redis', /^Redis \d+\.\d+\S* answers at /],
    ['persistence', /append-only file is on/],
    ['worker', /^A worker lives: \S+/],
    ['gateway', /^A Baton answers at http/],
    ['version', /^This command is \d+\.\d+\.\d+ on Node [\d.]+, and so is the gateway's release\.$/],
    ['clock', /the same time/],
    ['readiness', /takes work/],
    ['key', /^The key is ann's of tenant acme, with mcp, agent; not with admin \(/],
    ['agent', /^No LLM endpoint is set here/],
  ] as const)
    expect(textOf(found, check)).toMatch(text);
  const { said } = await runBaton(['doctor'], { cwd: folder, environment: well });
  expect(said).toMatch(/^ok +gateway +A Baton answers/m);
  expect(said.trimEnd()).toMatch(/Nothing is wrong\.$/);
});

test('a key is told from a token, a mistyped one and a revoked one', async () => {
  const asOperator = { cwd: folder, environment: { ...well, BATON_OPERATOR_TOKEN: OPERATOR_TOKEN } };
  const { said } = await runBaton(['doctor', '--tenant', 'acme'], asOperator);
  expect(said).toContain('The operator token is good, and the tenant exists.');
  const mistyped = await doctor({ ...well, BATON_API_KEY: `${well['BATON_API_KEY']}0` });
  expect(mistyped).toMatchObject({ code: 78, wrong: [{ check: 'key' }] });
  expect(mistyped.wrong[0].text).toContain('mistyped');
  const { id, key } = await deployment.store.tenant('acme').apiKeys.create({ name: 'gone', scopes: ['mcp'] });
  await deployment.store.tenant('acme').apiKeys.revoke(id);
  const revoked = await doctor({ ...well, BATON_API_KEY: key });
  expect(revoked).toMatchObject({ code: 78, wrong: [{ check: 'key' }] });
  expect(revoked.wrong[0].text).toContain('unauthenticated');
});

test('an operator without a tenant has all of the gateway looked at, and the token', async () => {
  const { BATON_API_KEY: _, ...keyless } = well;
  const { code, found, wrong } = await doctor({ ...keyless, BATON_OPERATOR_TOKEN: OPERATOR_TOKEN });
  expect([code, wrong]).toEqual([0, []]);
  for (const check of ['gateway', 'clock', 'version', 'readiness'])
    expect(found.find((one) => one.check === check)).toMatchObject({ state: 'ok' });
  expect(textOf(found, 'key')).toMatch(/^The operator token is good\. --tenant/);
  const other = await doctor({ ...keyless, BATON_OPERATOR_TOKEN: 'no operator token of this gateway' });
  expect(other).toMatchObject({
    code: 78,
    wrong: [{ check: 'key', text: expect.stringContaining('is not the operator token of the gateway') }],
  });
  const withKey = await doctor({ ...well, BATON_OPERATOR_TOKEN: OPERATOR_TOKEN });
  expect(textOf(withKey.found, 'key'), 'a key goes before').toMatch(/^The key is ann's/);
});

test('an address is told where nothing listens, where something else answers, and where none is set', async () => {
  const nothing = await doctor({ ...well, BATON_URL: 'http://127.0.0.1:19' });
  expect(nothing).toMatchObject({ code: 69, wrong: [{ check: 'gateway' }] });
  expect(nothing.wrong[0].text).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:19: .*npm start/);
  const server = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await doctor({ ...well, BATON_URL: other })).wrong[0].text).toContain('is no Baton');
  server.close();
  const { BATON_URL: _, ...unset } = well;
  const none = await doctor(unset);
  expect(none).toMatchObject({ code: 78, wrong: [{ check: 'address' }] });
  expect(none.wrong[0].text).toContain('BATON_URL is not set');
});

test('a Redis is told that evicts, that takes no writes, that is gone, and on which no worker lives', async () => {
  const redis = await startPrivateRedis({});
  const client = new Redis(redis.url.replace('unix://', ''));
  const look = () => doctor({ ...well, REDIS_URL: redis.url });
  expect(textOf((await look()).found, 'worker')).toContain('No Baton has started on this Redis yet');
  await client.hset('baton:{ops}:topology', 'shards', 1);
  expect((await look()).wrong).toMatchObject([
    { check: 'worker', text: expect.stringContaining('No worker lives') },
  ]);
  const allowWrites = await refuseWrites(redis, client);
  expect(await look()).toMatchObject({
    code: 69,
    wrong: [{ check: 'redis', text: expect.stringContaining('takes no writes: ') }],
  });
  await allowWrites();
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const evicting = await look();
  expect([evicting.code, evicting.wrong[0].text]).toEqual([78, expect.stringContaining('allkeys-lru')]);
  client.disconnect();
  await redis.stop();
  expect((await look()).wrong[0]).toMatchObject({ check: 'redis', exitCode: 69 });
});

test('of a Redis that has only its reserve of memory left, what is refused is told by the gateway alone', async () => {
  const redis = new Redis(deployment.redisUrl.replace('unix://', ''));
  await redis.setrange('filler', 64 * 1_048_576, 'x');
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  const { REDIS_URL: _, ...seenByGateway } = well;
  const ready = async () => (await fetch(`${deployment.url()}/readyz`)).json();
  try {
    await redis.config('SET', 'maxmemory', Math.round(used / 0.935));
    await expect.poll(ready, { timeout: 10_000 }).toEqual({ status: 'ready', refuses: 'new calls' });
    expect(await doctor(seenByGateway)).toMatchObject({
      code: 69,
      wrong: [
        { check: 'readiness', text: expect.stringContaining('new calls are refused. Raise maxmemory') },
      ],
    });
  } finally {
    await redis.config('SET', 'maxmemory', 0);
    await redis.del('filler');
    redis.disconnect();
  }
  await expect.poll(ready, { timeout: 10_000 }).toEqual({ status: 'ready' });
  expect(await doctor(seenByGateway)).toMatchObject({ code: 0, wrong: [] });
});

test('a secret that is not that of the deployment is told, and no worker starts with it', async () => {
  const right = await doctor({ ...well, BATON_SECRET: SECRET });
  expect([right.code, textOf(right.found, 'secret')]).toEqual([0, expect.stringContaining('is that of')]);
  const OTHER = 'a secret of another deployment';
  const known = await doctor({ ...well, BATON_SECRET: OTHER, BATON_SECRET_PREVIOUS: SECRET });
  expect(known.wrong, 'while it is being changed').toEqual([]);
  const other = await doctor({ ...well, BATON_SECRET: OTHER });
  expect(other).toMatchObject({ code: 78, wrong: [{ check: 'secret' }] });
  expect(other.wrong[0].text).toMatch(/^BATON_SECRET is not the secret of the deployment/);
  const environment = { REDIS_URL: deployment.redisUrl, BATON_SECRET: OTHER };
  const { code, complaints } = await runBaton(['worker'], { cwd: folder, environment });
  expect([code, complaints]).toEqual([78, expect.stringContaining('baton: BATON_SECRET is not the secret')]);
});

test('the Redis of the Baton of this folder is looked at only where that is the Baton that is meant', async () => {
  const { REDIS_URL: _, ...named } = well;
  const other = createTemporaryFolder('doctor-beside-another');
  const look = async (url: string) => {
    const file = { url, mcpUrl: `${url}/mcp`, tenant: 'demo', apiKey: 'k', operatorToken: 't', secret: 's' };
    mkdirSync(join(other, '.baton'), { recursive: true });
    const path = join(other, '.baton', 'dev.json');
    writeFileSync(path, JSON.stringify({ ...file, redisUrl: 'redis://127.0.0.1:19' }), { mode: 0o600 });
    const { said } = await runBaton(['doctor', '--json'], { cwd: other, environment: named });
    return (JSON.parse(said) as AnyJson[]).filter(({ check }) => check === 'redis');
  };
  expect(await look('http://127.0.0.1:18')).toMatchObject([
    { state: 'note', text: expect.stringContaining('REDIS_URL is not set') },
  ]);
  const own = named['BATON_URL']!.replace('127.0.0.1', 'localhost');
  expect(await look(own)).toMatchObject([{ state: 'wrong', exitCode: 69 }]);
});

test('settings that cannot be read, and variables that nobody reads, are named without their values', async () => {
  const { code, found } = await doctor({ ...well, BATON_TASK_TTL_MS: 'soon', BATON_SECRT: 'hush' });
  expect(code).toBe(78);
  const told = found.map(({ text }) => text).join('\n');
  expect(told).toContain('BATON_TASK_TTL_MS=soon');
  expect(told).toContain('did you mean BATON_SECRET?');
  expect(told).not.toContain('hush');
});

test('the LLM endpoint of baton agent is asked one question: a wrong key is told from one that answers', async () => {
  const environment = { ...well, BATON_LLM_ENDPOINT: llm.url, BATON_LLM_MODEL: 'm' };
  llm.probes = 0;
  expect(textOf((await doctor(environment)).found, 'agent')).toContain(`at ${llm.url}) answers.`);
  expect([llm.probes, llm.calls.length]).toEqual([1, 0]);
  llm.probeBehaviour = () => ({ do: 'refuse', status: 401 });
  const refused = await doctor(environment);
  expect([refused.code, refused.wrong[0].check]).toEqual([78, 'agent']);
  const unnamed = await doctor({ ...well, BATON_LLM_ENDPOINT: llm.url });
  expect(unnamed.wrong[0].text).toContain('--model names no model');
});
