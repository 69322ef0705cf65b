import { BatonError } from '@baton/protocol';
import type { Identity } from './identity/identity.ts';
import { type Keyspace, taskIdFromRef, type TenantKeys } from './records/keys.ts';
import type { Connection } from './redis/connection.ts';
import { mastersOf } from './redis/redis-client.ts';
import type { TenantStore } from './tenant-store.ts';

/** So many tasks are cancelled at once. */
const TASKS_AT_ONCE = 64;

/** One SCAN passes about so many keys of a server, and so many are unlinked at once. */
const KEYS_PER_SCAN = 1_000;

/** What stays of a deleted tenant's record: its id is not given again. */
const KEPT_FIELDS = ['at', 'suspended', 'deleted'];

/**
 * Removes everything of a tenant whose record says that it is deleted, so that no call of it is admitted any more: cancels its open
 * tasks, then unlinks its keys, then takes it off the lists of tenants, and its record's other fields last. One that is cut off is repeated.
 * The time is that of a SCAN over all keys of its servers. Errors: `unavailable`.
 */
export async function removeDeletedTenant(
  connection: Connection,
  keyspace: Keyspace,
  tenant: TenantStore,
): Promise<void> {
  const keys = keyspace.tenant(tenant.id);
  await cancelOpenTasks(connection, keys, tenant);
  // What a worker or a gateway had begun may write once more: a pass that finds nothing is the last one.
  while ((await unlinkKeys(connection, keys)) > 0);
  await connection.write('ZREM', keys.due, tenant.id);
  await connection.write('ZREM', keys.tenantsWithJobs, tenant.id);
  await connection.write('ZREM', keyspace.tenants, tenant.id);
  const fields = await connection.command((client) => client.hkeys(keys.tenant));
  const dropped = fields.filter((field) => !KEPT_FIELDS.includes(field));
  if (dropped.length > 0) await connection.write('HDEL', keys.tenant, ...dropped);
}

/** A task that is cancelled may have started others just before: a pass that cancels none is the last one. */
async function cancelOpenTasks(connection: Connection, keys: TenantKeys, tenant: TenantStore): Promise<void> {
  const operator = await tenant.operatorCaller().admit(['admin']);
  for (let cancelled = 1; cancelled > 0; ) {
    const refs = await connection.command((client) => client.zrange(keys.deadlines, '0', '-1'));
    cancelled = 0;
    for (let from = 0; from < refs.length; from += TASKS_AT_ONCE) {
      const some = refs.slice(from, from + TASKS_AT_ONCE).map(taskIdFromRef);
      const ended = await Promise.all(some.map((taskId) => cancelUnlessEnded(tenant, operator, taskId)));
      cancelled += ended.filter(Boolean).length;
    }
  }
}

async function cancelUnlessEnded(tenant: TenantStore, operator: Identity, taskId: string): Promise<boolean> {
  try {
    await tenant.tasks.cancel(operator, taskId);
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
