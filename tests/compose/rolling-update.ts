import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '../harness/seeded-random.ts';
import { RetryingClient } from '../faults/clients/retrying-client.ts';
import { answer, findLostAndDuplicated, park, taskListAnswer } from './delegation.ts';
import type { ComposeStack } from './compose-stack.ts';

const DELEGATIONS = 500;
const CLIENTS = 16;
/** Interval between delegations, so that the load lasts as long as the rolling restart. */
const EVERY_MS = 120;
const PROJECTS = 10;
const MAX_THINK_MS = 1_500;

/**
 * Replaces gateways, workers, Redis and Caddy one after the other under load. Each delegation appends two tasks with unique titles
 * to one of ten projects, which shows what was lost or executed twice.
 */
export async function checkRollingUpdate(stack: ComposeStack, apiKey: string, seed: string): Promise<string> {
  const client = new RetryingClient([stack.url], apiKey);
  const before = await containersOf(stack);
  const refused: string[] = [];
  const begun = performance.now();
  let next = 0;
  let rolling = true;

  const delegate = async (n: number) => {
    const random = seededRandom(`${seed} ${n}`);
    const args = { projectRoot: projectOf(n), append: true, numTasks: 2 };
    const parked = await park(client, args, `roll-${seed}-${n}`);
    await pause(random.below(MAX_THINK_MS));
    const end = () => answer(client, parked, taskListAnswer(titlesOf(n)));
    // Some agents post their answer twice at the same time, to different gateways.
    for (const ended of await Promise.all(random.chance(0.1) ? [end(), end()] : [end()]))
      if (ended.status !== 'completed') throw new Error(JSON.stringify(ended));
  };
  const work = async () => {
    while (next < DELEGATIONS || rolling) {
      const n = next++;
      await pause(Math.max(0, begun + n * EVERY_MS - performance.now()));
      await delegate(n).catch((error: unknown) => refused.push(`${n}: ${String(error)}`));
    }
  };
  const roll = async () => {
    try {
      await pause(EVERY_MS * 25);
      await stack.rollingUpdate(['gateway', 'worker', 'redis', 'caddy']);
    } finally {
      rolling = false;
    }
  };
  let rolledAfter = 0;
  await Promise.all([
    ...Array.from({ length: CLIENTS }, work),
    roll().then(() => (rolledAfter = Math.round((performance.now() - begun) / 1_000))),
  ]);

  const after = await containersOf(stack);
  for (const id of before) assert.ok(!after.includes(id), `${id.slice(0, 12)} was not replaced`);
  assert.equal(after.length, before.length);
  assert.deepEqual(refused, [], 'nothing was refused or failed');
  const projects = Array.from({ length: PROJECTS }, (_, n) => projectOf(n));
  const wanted = Array.from({ length: next }, (_, n) => titlesOf(n)).flat();
  assert.deepEqual(await findLostAndDuplicated(client, projects, wanted), []);
  const { interactions } = await client.call('pending_interactions', {});
  assert.deepEqual(interactions, [], 'a call that was repeated started something twice');
  return `${next} delegations, the roll ended after ${rolledAfter} s, ${client.repeatsText}`;
}

/** A setting with which a worker ends as soon as it starts. */
const BROKEN = { LOG_LEVEL: 'verbose' };

/** A release that does not start replaces nothing and is told why; containers that are broken are replaced by good ones. */
export async function checkFailedRollingUpdate(stack: ComposeStack): Promise<string> {
  const before = await stack.containers('worker');
  const told = await stack.rollingUpdate(['worker'], BROKEN).then(
    () => 'nothing',
    (error: Error) => error.message,
  );
  assert.match(
    told,
    /roll: \S+worker\S+ does not become healthy\. Its last lines:\n(.*\n)*.*LOG_LEVEL=verbose/,
  );
  assert.match(told, /roll: \S+worker\S+ is removed\n.*roll: 0 of 2 containers of worker were replaced/);
  assert.deepEqual(
    await stack.containers('worker'),
    before,
    'nothing was replaced, and nothing is left over',
  );

  await stack.scale('worker', before.length + 1, BROKEN);
  const withBroken = await stack.containers('worker');
  assert.equal(withBroken.length, before.length + 1);
  await stack.rollingUpdate(['worker']);
  await stack.waitUntilHealthy('worker');
  const after = await stack.containers('worker');
  assert.equal(after.length, withBroken.length);
  for (const id of withBroken) assert.ok(!after.includes(id), `${id.slice(0, 12)} was not replaced`);
  await stack.scale('worker', before.length);
  return 'a broken release is removed, a broken container is replaced';
}

const projectOf = (n: number) => `roll-${n % PROJECTS}`;
const titlesOf = (n: number) => [`${n}-first`, `${n}-second`];

async function containersOf(stack: ComposeStack): Promise<string[]> {
  const services = ['gateway', 'worker', 'caddy'] as const;
  return (await Promise.all(services.map((service) => stack.containers(service)))).flat();
}
