import { setTimeout as delay } from 'node:timers/promises';
import type { BullmqQueues } from '../queues/bullmq-queues.ts';
import { jobId } from '../queues/resume-job.ts';
import { type ShardKeys, taskIdFromRef, type TenantKeys } from '../records/keys.ts';
import { LOST_JOB_CHECK_INTERVAL } from '../records/durations.ts';
import type { Connection } from '../redis/connection.ts';
import { REQUEUE_LOST_JOBS } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';

/** At most so many tenants are checked at once. */
const MAX_TENANTS = 200;

/** So many calls of a tenant are looked at in one check. */
const MAX_CALLS = 1_000;

/** A process may be about to add a job that BullMQ does not have yet: it is lost when it is still missing after so long. */
const RECHECK_DELAY_MS = 250;

/**
 * Compares the jobs that a shard's tenants have recorded with those that BullMQ has. A job is lost when it was never added
 * (a gateway died after ACCEPT_ANSWER), was removed by hand, was lost in a failover of Redis, or has failed for good: its tasks
 * become ready again, and a list without a job is given one. A job in a paused queue exists, and is left alone.
 */
export async function requeueLostJobs(
  connection: Connection,
  shard: number,
  keys: ShardKeys,
  queues: BullmqQueues,
  contextOf: (tenant: string) => TenantContext,
): Promise<void> {
  const tenants = await connection.command(async (client) => {
    const [seconds] = await client.time();
    const before = Number(seconds) * 1_000 - LOST_JOB_CHECK_INTERVAL;
    return client.zrangebyscore(keys.tenantsWithJobs, '-inf', before, 'LIMIT', 0, MAX_TENANTS);
  });
  await Promise.all(tenants.map((tenant) => requeueLostJobsOf(contextOf(tenant), connection, shard, queues)));
}

async function requeueLostJobsOf(
  { keys, addJob }: TenantContext,
  connection: Connection,
  shard: number,
  queues: BullmqQueues,
): Promise<void> {
  const findLostJobs = async () => {
    const jobs = await connection.command((client) => client.hgetall(keys.jobs));
    const numbers = jobNumbers(jobs);
    const exist = await Promise.all(
      numbers.map((number) => queues.hasJob(shard, jobId({ tenant: keys.name, number: Number(number) }))),
    );
    return { jobs, lost: numbers.filter((_, at) => exist[at] === false) };
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
  const requests = await runScript(
    { connection, keys },
    REQUEUE_LOST_JOBS,
    {},
    { topic: keys.pendingTopic, lost: lost.length },
    { keys: refs.map((ref) => keys.task(taskIdFromRef(ref))), args: [...lost, ...refs] },
  );
  for (const request of requests) addJob(String(request));
  await addLostCalls(connection, shard, keys, queues);
}

/** Adds the jobs of calls that have their turn and that no worker holds; one that BullMQ has already is added to no effect. */
async function addLostCalls(
  connection: Connection,
  shard: number,
  { calls, name: tenant }: TenantKeys,
  queues: BullmqQueues,
): Promise<void> {
  const free = await connection.command(async (client) => {
    const [seconds] = await client.time();
    return client.zrangebyscore(calls, '-inf', Number(seconds) * 1_000, 'LIMIT', 0, MAX_CALLS);
  });
  for (const call of free) queues.enqueueCall(shard, { tenant, call });
}

/** The numbers of the jobs in a tenant's hash: those of its lists, and those that have taken something. */
function jobNumbers({ ready, held, next: _, ...begun }: Record<string, string>): string[] {
  return [
    ...(ready === undefined ? [] : [ready]),
    ...(held === undefined ? [] : [held]),
    ...Object.keys(begun),
  ];
}
