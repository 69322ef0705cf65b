import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Loose } from '../harness/client.ts';
import { GoodClient, plan, type Reply } from './good-client.ts';
import { command } from './command.ts';
import { freeze, inspect, kill, type Stack, start, thaw, until } from './stack.ts';

/** The container behind a replica's name, which begins with the container's host name. */
async function containerOf(stack: Stack, replica: string): Promise<string> {
  const id = (await stack.containers('gateway')).find((each) => each.startsWith(replica.slice(0, 12)));
  if (id === undefined) throw new Error(`no gateway is called ${replica}`);
  return id;
}

const titles = (name: string) => [`${name}-basket`, `${name}-checkout`];

/** The project holds exactly what its answer gave it: neither nothing nor twice. */
async function holdsOnce(client: GoodClient, project: string, wanted: readonly string[]): Promise<void> {
  const { content } = await client.call('get_tasks', { projectRoot: project });
  const found = content.tasks.map(({ title }: { title: string }) => title);
  assert.deepEqual(found.toSorted(), wanted.toSorted(), project);
}

export async function gatewayKilled(stack: Stack, apiKey: string): Promise<string> {
  const client = new GoodClient(stack.url, apiKey);
  for (let n = 0; n < 4; n++) {
    const project = `gateway-killed-${n}`;
    const parked = await client.park({ projectRoot: project }, project);
    const parking = await containerOf(stack, parked.replica);
    await kill(parking);
    const ended = await client.answer(parked, plan(titles(project)));
    assert.equal(ended.content.status, 'completed', JSON.stringify(ended.content));
    assert.notEqual(ended.replica, parked.replica);
    await holdsOnce(client, project, titles(project));
    await start(parking);
    await stack.healthy('gateway');
  }
  assert.deepEqual(client.unsigned, []);
  return `4 of 4, ${client.repeated} repeats ${JSON.stringify(Object.fromEntries(client.repeats))}`;
}

/** Without any gateway the front itself answers, in Baton's own words, and holds what it can until one is back. */
export async function noGateway(stack: Stack, apiKey: string): Promise<string> {
  const client = new GoodClient(stack.url, apiKey);
  const parked = await client.park({ projectRoot: 'no-gateway' }, 'no-gateway');
  const gateways = await stack.containers('gateway');
  await Promise.all(gateways.map(kill));
  const response = await fetch(`${stack.url}/mcp`, { method: 'POST', body: '{}' });
  assert.ok([502, 503].includes(response.status), String(response.status));
  assert.equal(response.headers.get('x-baton-replica'), 'caddy');
  assert.equal(response.headers.get('retry-after'), '1');
  assert.match(response.headers.get('content-type') ?? '', /problem\+json/);
  const problem = (await response.json()) as Loose;
  assert.deepEqual([problem.status, problem.code], [response.status, 'unavailable']);
  const answer = client.answer(parked, plan(titles('no-gateway')));
  await Promise.all(gateways.map(start));
  assert.equal((await answer).content.status, 'completed');
  await holdsOnce(client, 'no-gateway', titles('no-gateway'));
  await stack.healthy('gateway');
  return `${response.status} ${problem.code}, then ${client.repeated} repeats`;
}

/** As an orchestrator stops them: PID 1 hears SIGTERM, ends what it holds and leaves of its own accord. */
export async function leavesInOrder(stack: Stack): Promise<string> {
  const said: string[] = [];
  for (const service of ['gateway', 'worker', 'redis'] as const) {
    const [id = ''] = await stack.containers(service);
    const begun = performance.now();
    await command(['docker', 'stop', '--time', '15', id]);
    const took = performance.now() - begun;
    assert.equal(await inspect(id, '{{.State.ExitCode}}'), '0', service);
    assert.ok(took < 10_000, `${service} took ${Math.round(took)} ms`);
    said.push(`${service} ${(took / 1_000).toFixed(1)} s`);
    await start(id);
    await stack.healthy(service);
  }
  for (const service of ['gateway', 'worker'] as const) await stack.healthy(service);
  return said.join(', ');
}

/** Answers near the limit of what one may weigh, so that a resume takes its time. */
const HEAVY = 24;
const heavy = (name: string) => Array.from({ length: 100 }, (_, n) => `${name}-${n}`);

export async function workerKilled(stack: Stack, apiKey: string): Promise<string> {
  const client = new GoodClient(stack.url, apiKey);
  const projects = Array.from({ length: HEAVY }, (_, n) => `worker-killed-${n}`);
  const parked = await Promise.all(projects.map((project) => client.park({ projectRoot: project }, project)));
  const [victim, other] = await stack.containers('worker');
  if (victim === undefined || other === undefined) throw new Error('two workers are needed');
  // One worker alone, so that whatever was taken is its.
  await freeze(other);
  const answers = parked.map((each, n) =>
    client.answer(each, plan(heavy(projects[n] ?? ''), 'What is to be built. '.repeat(90))),
  );
  const held = await catchMidway(stack, victim, apiKey.split('_')[1] ?? '');
  await kill(victim);
  await thaw(other);
  const begun = performance.now();
  const took: number[] = [];
  const ended = await Promise.all(
    answers.map((answer) => answer.finally(() => took.push(performance.now() - begun))),
  );
  for (const [n, { content }] of ended.entries()) {
    assert.equal(content.status, 'completed', JSON.stringify(content).slice(0, 500));
    await holdsOnce(client, projects[n] ?? '', heavy(projects[n] ?? ''));
  }
  await start(victim);
  await stack.healthy('worker');
  assert.deepEqual(client.unsigned, []);
  return `${held} of ${HEAVY} were under way when it died, the last ended ${(Math.max(...took) / 1_000).toFixed(1)} s later`;
}

/** Stops a worker again and again until it is met with segments in its hands; leaves it so, and says how many. */
async function catchMidway(stack: Stack, worker: string, tenant: string): Promise<number> {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    await freeze(worker);
    const jobs = (await stack.redis('HGETALL', `baton:{s0}:t:${tenant}:jobs`)).split('\n');
    const batches = jobs.filter((_, at) => at % 2 === 1 && /^\d+$/.test(jobs[at - 1] ?? ''));
    const held = batches.flatMap((refs) => refs.split(' ')).length;
    if (held > 0) return held;
    await thaw(worker);
    await pause(20);
  }
  throw new Error('the worker was never met in the middle of a resume');
}

export async function redisKilled(stack: Stack, apiKey: string): Promise<string> {
  const client = new GoodClient(stack.url, apiKey);
  const projects = Array.from({ length: 20 }, (_, n) => `redis-killed-${n}`);
  const parked: Reply[] = [];
  for (const project of projects) parked.push(await client.park({ projectRoot: project }, project));
  const redis = await stack.only('redis');
  await kill(redis);
  assert.equal(await inspect(redis, '{{.State.Running}}'), 'false');
  const answers = parked.map((each, n) => client.answer(each, plan(titles(projects[n] ?? ''))));
  await until(
    'the gateways say that they cannot',
    10_000,
    async () => (client.repeats.get('503 gateway') ?? 0) > 0,
  );
  assert.equal((await fetch(`${stack.url}/readyz`)).status, 503);
  assert.equal((await fetch(`${stack.url}/healthz`)).status, 200);
  await start(redis);
  const begun = performance.now();
  for (const [n, { content }] of (await Promise.all(answers)).entries()) {
    assert.equal(content.status, 'completed', JSON.stringify(content));
    await holdsOnce(client, projects[n] ?? '', titles(projects[n] ?? ''));
  }
  const back = ((performance.now() - begun) / 1_000).toFixed(1);
  for (const service of ['redis', 'gateway', 'worker'] as const) await stack.healthy(service);
  assert.deepEqual(client.unsigned, []);
  return `20 of 20 within ${back} s of its start, ${client.repeated} repeats ${JSON.stringify(Object.fromEntries(client.repeats))}`;
}
