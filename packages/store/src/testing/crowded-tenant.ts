import { randomUUID } from 'node:crypto';
import { taskIdFromUuid } from '@baton/protocol';
import type { Redis } from 'ioredis';
import { ENDED_KEY_RETENTION } from '../records/durations.ts';
import { FIELD } from '../records/task-record.ts';
import { taskRef } from '../records/keys.ts';
import type { TestTenant } from './test-tenant.ts';

/** Sessions with subscriptions that a tenant may have, less those of a scenario. */
const MOST_SUBSCRIBED = 990;
const MOST_ENDED = 9_000;
/** Outcomes of commands that a tenant may have. */
const MOST_OUTCOMES = 1_000;
const DAY = 86_400_000;

/** What one redis pipeline carries. */
const AT_ONCE = 500;

const range = (count: number) => Array.from({ length: count }, (_, at) => at);

/**
 * Fills a tenant with `size` of everything that it may have, none of it what a scenario asks for: entries of others, entries
 * that are over, and entries that are not due. Each task that the tenant opens afterwards has had `size` interactions.
 */
export async function crowdTenant(testTenant: TestTenant, redis: Redis, size: number): Promise<void> {
  const { keys } = testTenant;
  const now = Date.now();
  const refs = range(size).map(() => taskRef(taskIdFromUuid(randomUUID())));
  const add = async (key: string, members: readonly (readonly [number, string])[]) => {
    for (let from = 0; from < members.length; from += AT_ONCE)
      await redis.zadd(key, ...members.slice(from, from + AT_ONCE).flat());
  };
  const { shard } = keys;
  const later = now + DAY;
  await add(
    keys.tasks,
    refs.map((ref, at) => [at + 1, `${ref}|carol`]),
  );
  await add(
    keys.tasks,
    refs.map((ref, at) => [now - at, `${ref}-|carol`]),
  );
  await add(
    keys.pending,
    refs.map((ref, at) => [now - at, `${ref}.1|carol`]),
  );
  await add(
    keys.claims,
    refs.map((ref, at) => [at + 1, `${ref}.2|carol`]),
  );
  await add(
    keys.claims,
    refs.map((ref, at) => [later + at, `${ref}.1|carol`]),
  );
  await add(
    keys.holder('carol one'),
    refs.map((ref, at) => [later + at, `${ref}.1|carol`]),
  );
  await add(
    keys.holder('agent-7 gone'),
    refs.map((ref, at) => [later + at, `${ref}.1|carol`]),
  );
  await add(
    keys.ready,
    refs.map((ref, at) => [(later + at) * 1_000, ref]),
  );
  await add(
    keys.held,
    refs.map((ref) => [0, `other 1 ${ref}`]),
  );
  await add(
    keys.deadlines,
    refs.map((ref, at) => [later + at, ref]),
  );
  // Behind those that the tenant opens itself.
  await add(
    keys.calls,
    refs.map((ref, at) => [(later + at) * 1_000, `${ref}.1`]),
  );
  await add(
    keys.apiKeys,
    refs.map((ref, at) => [at + 1, ref]),
  );
  await add(
    keys.apiKeyEnds,
    refs.map((ref, at) => [now - ENDED_KEY_RETENTION - at - 1_000, ref]),
  );
  await add(
    keys.rates,
    refs.map((ref, at) => [at + 1, ref]),
  );
  await add(
    keys.subscribers,
    refs.slice(0, MOST_SUBSCRIBED).map((ref, at) => [later + at, `k.${ref}`]),
  );
  await add(
    keys.ended,
    refs.slice(0, MOST_ENDED).map((ref, at) => [at + 1, `k.${ref}`]),
  );
  await add(
    keys.logLevels,
    refs.slice(0, MOST_ENDED).map((ref, at) => [at + 1, `k.${ref}`]),
  );
  await add(
    keys.projects,
    refs.map((ref) => [0, ref]),
  );
  await addOutcomes(testTenant, redis, Math.min(size, MOST_OUTCOMES));
  await add(
    shard.due,
    refs.map((ref, at) => [later + at, ref]),
  );
  await add(
    shard.tenantsWithJobs,
    refs.map((ref, at) => [later + at, ref]),
  );
  testTenant.afterOpen = (taskId) => addPastInteractions(redis, keys.task(taskId), size);
}

/** Outcomes that are over, and attempts that are. */
async function addOutcomes({ keys }: TestTenant, redis: Redis, count: number): Promise<void> {
  for (const at of range(count)) {
    await redis.hset(keys.outcomes, `key${at}`, 'arguments {}');
    await redis.zadd(keys.outcomeTimes, at + 1, `key${at}`);
  }
  await redis.hset(keys.outcomes, 'bytes', count * 12);
}

/** A task's record after `count` answered interactions of branches that have collapsed, as `expand_all` leaves them. */
export async function addPastInteractions(redis: Redis, task: string, count: number): Promise<void> {
  const created = Date.now();
  for (let from = 0; from < count; from += AT_ONCE) {
    const fields = range(Math.min(AT_ONCE, count - from)).flatMap((at) => {
      const number = 1_000 + from + at;
      return [
        [`${FIELD.request}${number}`, `${created};${'x'.repeat(900)}`],
        [`${FIELD.summary}${number}`, `${created};main;generateObject;1;"x"`],
        [`${FIELD.answered}${number}`, `fingerprint-of-22-bytes;${created};carol`],
        [`${FIELD.journal}99.${number}`, 'branch+{"id":1,"subtasksAdded":3}'],
      ];
    });
    await redis.hset(task, ...fields.flat());
  }
}
