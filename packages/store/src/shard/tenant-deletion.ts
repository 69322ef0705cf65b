import { BatonError, scopeSchema } from '@baton/protocol';
import type { Identity } from '../identity/identity.ts';
import { type Keyspace, taskIdFromRef, type TenantKeys } from '../records/keys.ts';
import type { Connection } from '../redis/connection.ts';
import { mastersOf } from '../redis/redis-client.ts';
import { Tasks } from '../tasks/tasks.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';

const OPERATOR: Identity = { principal: 'operator', scopes: new Set(scopeSchema.options) };

/** So many tasks are cancelled at once: 64 take no less time, and other tenants' calls wait twice as long or longer meanwhile. */
const TASKS_AT_ONCE = 16;

/** One SCAN passes about so many keys of a server, and so many are unlinked at once. */
const KEYS_PER_SCAN = 1_000;

/** What stays of a deleted tenant's record: its id is not given again. */
const KEPT_FIELDS = ['at', 'suspended', 'deleted'];

/**
 * Removes everything of a tenant whose record says that it is deleted, so that no call of it is admitted any more: cancels its open
 * tasks, then unlinks its keys, then takes it off the list of tenants, then its record's other fields, and then its place among the due,
 * by which a sweep finds one that is cut off. One that is repeated goes on; two at once change nothing twice.
 * The time is that of a SCAN over all keys of its servers. Errors: `unavailable`.
 */
export async function removeDeletedTenant(keyspace: Keyspace, context: TenantContext): Promise<void> {
  const { connection, keys } = context;
  await cancelOpenTasks(context);
  // What a worker or a gateway had begun may write once more: a pass that finds nothing is the last one.
  while ((await unlinkKeys(connection, keys)) > 0);
  await connection.write('ZREM', keys.tenantsWithJobs, keys.name);
  await connection.write('ZREM', keyspace.tenants, keys.name);
  const fields = await connection.command((client) => client.hkeys(keys.tenant));
  const dropped = fields.filter((field) => !KEPT_FIELDS.includes(field));
  if (dropped.length > 0) await connection.write('HDEL', keys.tenant, ...dropped);
  await connection.write('ZREM', keys.due, keys.name);
}

/** A task that is cancelled may have started others just before: a pass that cancels none is the last one. */
async function cancelOpenTasks(context: TenantContext): Promise<void> {
  const { connection, keys } = context;
  const tasks = new Tasks(context);
  for (let cancelled = 1; cancelled > 0; ) {
    const refs = await connection.command((client) => client.zrange(keys.deadlines, '0', '-1'));
    cancelled = 0;
    for (let from = 0; from < refs.length; from += TASKS_AT_ONCE) {
      const some = refs.slice(from, from + TASKS_AT_ONCE).map(taskIdFromRef);
      const ended = await Promise.all(some.map((taskId) => cancelUnlessEnded(tasks, taskId)));
      cancelled += ended.filter(Boolean).length;
    }
  }
}

async function cancelUnlessEnded(tasks: Tasks, taskId: string): Promise<boolean> {
  try {
    await tasks.cancel(OPERATOR, taskId);
    return true;
  } catch (error) {
    if (error instanceof BatonError && ['task_ended', 'task_not_found'].includes(error.code)) return false;
    throw error;
  }
}

/** Unlinks every key of a tenant but its record. Returns how many there were. */
async function unlinkKeys(connection: Connection, keys: TenantKeys): Promise<number> {
  let unlinked = 0;
  for (const node of mastersOf(connection.client)) {
    for (let cursor = '0', isFirst = true; isFirst || cursor !== '0'; isFirst = false) {
      const [next, found] = await connection.command(() =>
        node.scan(cursor, 'MATCH', `${keys.tenant}:*`, 'COUNT', KEYS_PER_SCAN),
      );
      if (found.length > 0) unlinked += await connection.command(() => node.unlink(...found));
      cursor = next;
    }
  }
  return unlinked;
}
