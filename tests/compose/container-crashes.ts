import assert from 'node:assert/strict';
import { isShort } from './check-runner.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyJson } from '../harness/mcp-client.ts';
import { RetryingClient } from '../faults/clients/retrying-client.ts';
import { answer, findLostAndDuplicated, park, taskListAnswer } from './delegation.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { runCommand } from './run-command.ts';
import {
  pauseContainer,
  inspectContainer,
  killContainer,
  type ComposeStack,
  startContainer,
  unpauseContainer,
} from './compose-stack.ts';

/** The container id of a replica, whose name starts with the container's host name. */
async function containerOf(stack: ComposeStack, replica: string): Promise<string> {
  for (const id of await stack.containers('gateway'))
    if ((await runCommand(['docker', 'logs', id])).includes(`"replica":"${replica}"`)) return id;
  throw new Error(`no gateway is called ${replica}`);
}

const titles = (name: string) => [`${name}-basket`, `${name}-checkout`];

/** Asserts that the project has exactly these tasks, each once. */
async function assertTitles(client: RetryingClient, project: string, wanted: readonly string[]) {
  assert.deepEqual(await findLostAndDuplicated(client, [project], wanted), []);
}

export async function checkGatewayKill(stack: ComposeStack, apiKey: string): Promise<string> {
  const client = new RetryingClient([stack.url], apiKey);
  for (let n = 0; n < 4; n++) {
    const project = `gateway-killed-${n}`;
    const parked = await park(client, { projectRoot: project }, project);
    const replica = client.replicas.at(-1) ?? '';
    const parking = await containerOf(stack, replica);
    await killContainer(parking);
    const ended = await answer(client, parked, taskListAnswer(titles(project)));
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.notEqual(client.replicas.at(-1), replica);
    await assertTitles(client, project, titles(project));
    await startContainer(parking);
    await stack.waitUntilHealthy('gateway');
  }
  return `4 of 4, ${client.repeatsText}`;
}

/** Without a gateway Caddy answers with 502 or 503 problem documents, and requests succeed once gateways run again. */
export async function checkAllGatewaysKill(stack: ComposeStack, apiKey: string): Promise<string> {
  const client = new RetryingClient([stack.url], apiKey);
  const parked = await park(client, { projectRoot: 'no-gateway' }, 'no-gateway');
  const gateways = await stack.containers('gateway');
  await Promise.all(gateways.map(killContainer));
  const response = await fetch(`${stack.url}/mcp`, { method: 'POST', body: '{}' });
  assert.ok([502, 503].includes(response.status), String(response.status));
  assert.equal(response.headers.get('x-baton-replica'), 'caddy');
  assert.equal(response.headers.get('retry-after'), '1');
  assert.match(response.headers.get('content-type') ?? '', /problem\+json/);
  const problem = (await response.json()) as AnyJson;
  assert.deepEqual([problem.status, problem.code], [response.status, 'unavailable']);
  const ended = answer(client, parked, taskListAnswer(titles('no-gateway')));
  await Promise.all(gateways.map(startContainer));
  assert.equal((await ended).status, 'completed');
  await assertTitles(client, 'no-gateway', titles('no-gateway'));
  await stack.waitUntilHealthy('gateway');
  return `${response.status} ${problem.code}, then ${client.repeatsText}`;
}

/** On SIGTERM, PID 1 of each role exits with 0 within 10 s. */
export async function checkGracefulStop(stack: ComposeStack): Promise<string> {
  const said: string[] = [];
  for (const service of ['gateway', 'worker', 'redis'] as const) {
    const [id = ''] = await stack.containers(service);
    const begun = performance.now();
    await runCommand(['docker', 'stop', '--time', '15', id]);
    const took = performance.now() - begun;
    assert.equal(await inspectContainer(id, '{{.State.ExitCode}}'), '0', service);
    assert.ok(isShort || took < 10_000, `${service} took ${Math.round(took)} ms`);
    said.push(`${service} ${(took / 1_000).toFixed(1)} s`);
    await startContainer(id);
    await stack.waitUntilHealthy(service);
  }
  for (const service of ['gateway', 'worker'] as const) await stack.waitUntilHealthy(service);
  return said.join(', ');
}

/** Answers near the size limit, so that a resume takes long. */
const HEAVY = 24;
const heavy = (name: string) => Array.from({ length: 100 }, (_, n) => `${name}-${n}`);

export async function checkWorkerKill(stack: ComposeStack, apiKey: string): Promise<string> {
  const client = new RetryingClient([stack.url], apiKey);
  const projects = Array.from({ length: HEAVY }, (_, n) => `worker-killed-${n}`);
  const parked = await Promise.all(
    projects.map((project) => park(client, { projectRoot: project }, project)),
  );
  const [victim, other] = await stack.containers('worker');
  if (victim === undefined || other === undefined) throw new Error('two workers are needed');
  // Only one worker runs, so that every dequeued task is its.
  await pauseContainer(other);
  const answers = parked.map((each, n) =>
    answer(client, each, taskListAnswer(heavy(projects[n] ?? ''), 'What is to be built. '.repeat(90))),
  );
  const held = await pauseDuringResume(stack, victim, apiKey.split('_')[1] ?? '');
  await killContainer(victim);
  await unpauseContainer(other);
  const begun = performance.now();
  const took: number[] = [];
  const ended = await Promise.all(
    answers.map((each) => each.finally(() => took.push(performance.now() - begun))),
  );
  for (const [n, end] of ended.entries()) {
    assert.equal(end.status, 'completed', JSON.stringify(end).slice(0, 500));
    await assertTitles(client, projects[n] ?? '', heavy(projects[n] ?? ''));
  }
  await startContainer(victim);
  await stack.waitUntilHealthy('worker');
  return `${held} of ${HEAVY} were under way when it died, the last ended ${(Math.max(...took) / 1_000).toFixed(1)} s later`;
}

/** Pauses a worker repeatedly until it has dequeued tasks; leaves it paused and returns their number. */
async function pauseDuringResume(stack: ComposeStack, worker: string, tenant: string): Promise<number> {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    await pauseContainer(worker);
    const jobs = (await stack.redis('HGETALL', `baton:{s0}:t:${tenant}:jobs`)).split('\n');
    const batches = jobs.filter((_, at) => at % 2 === 1 && /^\d+$/.test(jobs[at - 1] ?? ''));
    const held = batches.flatMap((refs) => refs.split(' ')).length;
    if (held > 0) return held;
    await unpauseContainer(worker);
    await pause(20);
  }
  throw new Error('the worker was never paused during a resume');
}

export async function checkRedisKill(stack: ComposeStack, apiKey: string): Promise<string> {
  const client = new RetryingClient([stack.url], apiKey);
  const projects = Array.from({ length: 20 }, (_, n) => `redis-killed-${n}`);
  const parked: AnyJson[] = [];
  for (const project of projects) parked.push(await park(client, { projectRoot: project }, project));
  const redis = await stack.onlyContainer('redis');
  await killContainer(redis);
  assert.equal(await inspectContainer(redis, '{{.State.Running}}'), 'false');
  const answers = parked.map((each, n) => answer(client, each, taskListAnswer(titles(projects[n] ?? ''))));
  const isUnavailable = (cause: string) => /^unavailable by (?!caddy)/.test(cause);
  await waitUntilOrThrow('the gateways are unavailable', 10_000, async () =>
    [...client.repeats.keys()].some(isUnavailable),
  );
  assert.equal((await fetch(`${stack.url}/readyz`)).status, 503);
  assert.equal((await fetch(`${stack.url}/healthz`)).status, 200);
  await startContainer(redis);
  const begun = performance.now();
  for (const [n, end] of (await Promise.all(answers)).entries()) {
    assert.equal(end.status, 'completed', JSON.stringify(end));
    await assertTitles(client, projects[n] ?? '', titles(projects[n] ?? ''));
  }
  const back = ((performance.now() - begun) / 1_000).toFixed(1);
  for (const service of ['redis', 'gateway', 'worker'] as const) await stack.waitUntilHealthy(service);
  return `20 of 20 within ${back} s of its start, ${client.repeatsText}`;
}
