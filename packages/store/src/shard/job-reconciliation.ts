import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '../redis/connection.ts';
import { type ShardKeys, taskIdFromRef } from '../records/keys.ts';
import type { BullmqQueues } from '../queues/bullmq-queues.ts';
import { jobId } from '../queues/resume-job.ts';
import { run } from '../scripts/script.ts';
import { REQUEUE_LOST_JOBS } from '../scripts/registry.ts';
import type { TenantStore } from '../tenant-store.ts';
import { RECONCILE_INTERVAL } from '../records/ttl.ts';

/** How many tenants one check looks at. */
const MAX_TENANTS = 200;

/** Whoever was asked to add a job may be about to: what BullMQ lacks is looked for again after so long. */
const RECHECK_DELAY_MS = 250;

/**
 * Holds the jobs that a shard's tenants have against those that BullMQ has, which cannot know of one that was never added
 * (a gateway died after ACCEPT), was removed or obliterated by hand, was lost in a failover of Redis, or has failed for
 * good. What such a job had becomes ready again, and a list without a job is given one. A job that waits in a queue that
 * is paused is there, and is left alone.
 */
export async function reconcileJobs(
  connection: Connection,
  shard: number,
  keys: ShardKeys,
  queues: BullmqQueues,
  open: (tenant: string) => TenantStore,
): Promise<void> {
  const names = await connection.command(async (client) => {
    const [seconds] = await client.time();
    const before = Number(seconds) * 1_000 - RECONCILE_INTERVAL;
    return client.zrangebyscore(keys.outstanding, '-inf', before, 'LIMIT', 0, MAX_TENANTS);
  });
  await Promise.all(names.map((name) => reconcileTenant(connection, shard, queues, open(name))));
}

async function reconcileTenant(
  connection: Connection,
  shard: number,
  queues: BullmqQueues,
  tenant: TenantStore,
): Promise<void> {
  const { keys } = tenant;
  const findLostJobs = async () => {
    const jobs = await connection.command((client) => client.hgetall(keys.jobs));
    const numbers = jobNumbers(jobs);
    const there = await Promise.all(
      numbers.map((number) => queues.hasJob(shard, jobId({ tenant: keys.name, number: Number(number) }))),
    );
    return { jobs, lost: numbers.filter((_, at) => there[at] === false) };
  };
  const first = await findLostJobs();
  let lost: string[] = [];
  let jobs = first.jobs;
  if (first.lost.length > 0) {
    await delay(RECHECK_DELAY_MS);
    const second = await findLostJobs();
    ({ jobs } = second);
    lost = second.lost.filter((number) => first.lost.includes(number));
  }
  const refs = lost.flatMap((number) => (jobs[number] ?? '').split(' ').filter((ref) => ref !== ''));
  const asked = await run(
    connection,
    REQUEUE_LOST_JOBS,
    keys.queueKeys,
    { topic: keys.pendingTopic, lost: lost.length },
    { keys: refs.map((ref) => keys.task(taskIdFromRef(ref))), args: [...lost, ...refs] },
  );
  for (const job of asked) tenant.addJob(String(job));
}

/** The numbers of the jobs in a tenant's hash: those of its lists, and those that have taken something. */
function jobNumbers({ ready, held, next: _, ...begun }: Record<string, string>): string[] {
  return [
    ...(ready === undefined ? [] : [ready]),
    ...(held === undefined ? [] : [held]),
    ...Object.keys(begun),
  ];
}
