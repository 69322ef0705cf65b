import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyJson } from '../harness/mcp-client.ts';
import { quantile } from '../harness/statistics.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { RetryingClient } from './retrying-client.ts';
import { taskListAnswer } from './task-list-answer.ts';
import type { ComposeStack } from './compose-stack.ts';

const DELEGATIONS = 500;
const CLIENTS = 16;
/** Interval between delegations, so that the load lasts as long as the rolling restart. */
const EVERY_MS = 120;
const PROJECTS = 10;
const MAX_THINK_MS = 1_500;

interface Refused {
  readonly delegation: number;
  readonly said: AnyJson;
}

/**
 * Replaces gateways, workers, Redis and Caddy one after the other under load. Each delegation appends two tasks with unique titles
 * to one of ten projects, which shows what was lost or executed twice.
 */
export async function checkRollingUpdate(stack: ComposeStack, apiKey: string, seed: string): Promise<string> {
  const clients = Array.from({ length: CLIENTS }, () => new RetryingClient(stack.url, apiKey));
  const before = await containersOf(stack);
  const refused: Refused[] = [];
  const begun = performance.now();
  let next = 0;
  let rolling = true;

  const delegate = async (client: RetryingClient, n: number) => {
    const random = seededRandom(`${seed} ${n}`);
    const projectRoot = `roll-${n % PROJECTS}`;
    const parked = await client.park({ projectRoot, append: true, numTasks: 2 }, `roll-${seed}-${n}`);
    await pause(random.below(MAX_THINK_MS));
    const answer = () => client.answer(parked, taskListAnswer(titlesOf(n)));
    // Some agents post their answer twice at the same time, to different gateways.
    const ends = await Promise.all(random.chance(0.1) ? [answer(), answer()] : [answer()]);
    for (const { content, refused: no } of ends) {
      if (no || content.status !== 'completed') refused.push({ delegation: n, said: content });
    }
  };
  const work = async (client: RetryingClient) => {
    while (next < DELEGATIONS || rolling) {
      const n = next++;
      await pause(Math.max(0, begun + n * EVERY_MS - performance.now()));
      await delegate(client, n);
    }
  };
  const roll = async () => {
    try {
      await pause(EVERY_MS * 25);
      await stack.rollingUpdate('gateway', 'worker', 'redis', 'caddy');
    } finally {
      rolling = false;
    }
  };
  let rolledAfter = 0;
  await Promise.all([
    ...clients.map(work),
    roll().then(() => (rolledAfter = Math.round((performance.now() - begun) / 1_000))),
  ]);

  const after = await containersOf(stack);
  for (const id of before) assert.ok(!after.includes(id), `${id.slice(0, 12)} was not replaced`);
  assert.equal(after.length, before.length);
  assert.deepEqual(refused, [], 'nothing was refused or failed');
  assert.deepEqual(
    clients.flatMap(({ repliesWithoutReplica }) => repliesWithoutReplica),
    [],
    'every response names its replica',
  );
  await assertNothingLostOrDuplicated(new RetryingClient(stack.url, apiKey), next);
  return `${next} delegations, the roll ended after ${rolledAfter} s; ${summarizeCalls(clients)}`;
}

const titlesOf = (n: number) => [`${n}-first`, `${n}-second`];

async function containersOf(stack: ComposeStack): Promise<string[]> {
  const services = ['gateway', 'worker', 'caddy'] as const;
  return (await Promise.all(services.map((service) => stack.containers(service)))).flat();
}

/** Asserts that the projects have each answered task once, and that nothing else is parked. */
async function assertNothingLostOrDuplicated(client: RetryingClient, delegations: number): Promise<void> {
  const found: string[] = [];
  for (let n = 0; n < PROJECTS; n++) {
    const { content } = await client.call('get_tasks', { projectRoot: `roll-${n}` });
    const ids = content.tasks.map(({ id }: { id: number }) => id);
    assert.equal(new Set(ids).size, ids.length, `roll-${n} has ids twice`);
    found.push(...content.tasks.map(({ title }: { title: string }) => title));
  }
  const wanted = Array.from({ length: delegations }, (_, n) => titlesOf(n)).flat();
  const missing = wanted.filter((title) => !found.includes(title));
  const twice = found.filter((title, at) => found.indexOf(title) !== at);
  assert.deepEqual({ missing, twice, count: found.length }, { missing: [], twice: [], count: wanted.length });
  const { content } = await client.call('pending_interactions', {});
  assert.deepEqual(content.interactions, [], 'a call that was repeated started something twice');
}

/** Repeats by cause, and the durations of calls with their repeats. */
function summarizeCalls(clients: readonly RetryingClient[]): string {
  const repeats: Record<string, number> = {};
  for (const client of clients)
    for (const [why, times] of client.repeats) repeats[why] = (repeats[why] ?? 0) + times;
  const milliseconds = clients.flatMap(({ milliseconds }) => milliseconds);
  const at = (share: number) => Math.round(quantile(milliseconds, share));
  const all = Object.values(repeats).reduce((sum, each) => sum + each, 0);
  return `${milliseconds.length} calls, ${all} repeats ${JSON.stringify(repeats)}, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.999999)} ms`;
}
