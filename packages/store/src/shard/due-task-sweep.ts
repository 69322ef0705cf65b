import { BatonError, formatInteractionId } from '@baton/protocol';
import type { Connection } from '../redis/connection.ts';
import { DELETION_LEASE } from '../records/durations.ts';
import { type ShardKeys, taskIdFromRef } from '../records/keys.ts';
import { parseProgramField } from '../records/program-field.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { LIST_DUE_TENANTS, EXPIRE, LIST_DUE_TASKS } from '../scripts/registry.ts';
import { runEndingScript } from '../tasks/end-task.ts';
import { parseUnansweredWaits } from '../records/unanswered-waits.ts';
import { forgetTasks, stripTasks } from './ended-tasks.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';

/** One round takes so many tenants, and so many due tasks of each. */
const TENANTS_PER_ROUND = 100;
const TASKS_PER_TENANT = 64;

/** A task that did not end by its deadline. */
export interface ExpiredTask {
  readonly tenant: string;
  readonly principal: string;
  readonly operation: string;
  readonly taskId: string;
}

/**
 * Expires what is due in a shard (deadlines, sleeps), and lets go of ended tasks, tenants in turn, until nothing is due. A sweep that is interrupted,
 * or runs twice, does no harm: EXPIRE checks each task by itself. An error of one task is thrown at the end of its round,
 * in which all others were expired. `onExpired` is told of each task that ended by its own deadline. Returns the tenants whose deletion was
 * cut off; the next sweeps name them again after DELETION_LEASE only.
 */
export async function sweepDueTasks(
  connection: Connection,
  keys: ShardKeys,
  contextOf: (tenant: string) => TenantContext,
  onExpired: (task: ExpiredTask) => void,
): Promise<string[]> {
  const cutOff: string[] = [];
  for (;;) {
    const tenants = (
      await runScript({ connection, keys }, LIST_DUE_TENANTS, {}, { limit: TENANTS_PER_ROUND })
    ).map(String);
    if (tenants.length === 0) return cutOff;
    const round = await Promise.allSettled(
      tenants.map((name) => sweepTenant(connection, contextOf(name), onExpired)),
    );
    for (const [at, result] of round.entries()) {
      if (result.status === 'rejected') throw result.reason;
      if (result.value) cutOff.push(tenants[at] ?? '');
    }
  }
}

/** Returns whether the tenant's deletion was cut off. */
async function sweepTenant(
  connection: Connection,
  tenant: TenantContext,
  onExpired: (task: ExpiredTask) => void,
): Promise<boolean> {
  const { keys } = tenant;
  const [refs, ended, large, cutOff] = (await runScript(
    { connection, keys },
    LIST_DUE_TASKS,
    {},
    { name: keys.name, limit: TASKS_PER_TENANT, lease: DELETION_LEASE },
  )) as [string[], string[], string[], number];
  await Promise.all([
    ...refs.map(async (ref) => {
      const expired = await expireTask(connection, tenant, ref);
      if (expired !== undefined) onExpired(expired);
    }),
    forgetTasks(connection, tenant.keys, ended),
    stripTasks(connection, tenant.keys, large),
  ]);
  return cutOff === 1;
}

async function expireTask(
  connection: Connection,
  tenant: TenantContext,
  ref: string,
): Promise<ExpiredTask | undefined> {
  const { keys, lifetimes } = tenant;
  const taskId = taskIdFromRef(ref);
  const names = keys.taskNames(taskId);
  const reply = await runEndingScript(keys, names.task, '', ({ key, parent }) =>
    runScript(
      { connection, keys },
      EXPIRE,
      { ...names, parent: key },
      {
        topic: names.topic,
        ref,
        expired: interactionExpired(taskId),
        taskExpired: JSON.stringify(taskExpired(taskId).toWire()),
        retention: lifetimes.retention,
        parent,
      },
    ),
  );
  const [code, job, unanswered, principal, program] = reply;
  if (typeof job === 'string') tenant.addJob(job, taskId);
  const ended = { tenant: keys.name, taskId, code: 'interaction_expired' } as const;
  tenant.onUnanswered(parseUnansweredWaits(unanswered, ended));
  if (code !== 'ended') return undefined;
  const { operation } = parseProgramField(String(program));
  return { tenant: keys.name, principal: String(principal), operation, taskId };
}

/** The error of any interaction of a task, with its number to come. */
function interactionExpired(taskId: string): string {
  const interactionId = formatInteractionId(taskId, 0).replace(/0000$/, '<number>');
  return JSON.stringify(refusalError(['interaction_expired'], { interactionId }).toWire());
}

function taskExpired(taskId: string): BatonError {
  return new BatonError(
    'task_expired',
    `Task '${taskId}' did not end by its deadline. Retry it with retry_task, or start the call again.`,
    { taskId },
  );
}
