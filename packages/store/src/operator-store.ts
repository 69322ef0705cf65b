import { BatonError, DEFAULT_LIMITS, type Limits, type LimitsChange, tenantIdSchema } from '@baton/protocol';
import { admissionMessage } from './waiting/admission-changes.ts';
import { CursorSeal } from './cursors/cursor-seal.ts';
import type { Connection } from './redis/connection.ts';
import { storeInternalsOf } from './store-internals.ts';
import type { Keyspace } from './records/keys.ts';
import { refusalError } from './records/refusal-error.ts';
import { runScript } from './scripts/script.ts';
import { UPSERT_TENANT } from './scripts/registry.ts';
import type { Store } from './store.ts';
import { removeDeletedTenant } from './shard/tenant-deletion.ts';
import type { TenantContext } from './tenant/tenant-context.ts';
import { readUsage, type Usage } from './tenant/usage.ts';

export { DeploymentStatus } from './deployment-status.ts';
export { moveToCurrentSecret, type TenantSecrets } from './secret-rotation.ts';

/** A tenant with its limits. */
export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  readonly suspended: boolean;
  readonly createdAt: string;
  readonly limits: Limits;
  readonly openTasks: number;
  readonly usage: Usage;
}

/**
 * The operator's store: creates, changes, deletes and lists tenants. Only the operator's routes may import it; the linter checks it.
 */
export class OperatorStore {
  /** Seals the cursors of the list of tenants. */
  readonly cursors: CursorSeal;
  private readonly contextOf: (tenant: string) => TenantContext;
  private readonly connection: Connection;
  private readonly keyspace: Keyspace;

  constructor(store: Store) {
    const { connection, keyspace, contextOf } = storeInternalsOf(store);
    this.contextOf = contextOf;
    this.connection = connection;
    this.keyspace = keyspace;
    this.cursors = new CursorSeal(store.seal('cursors of operators'));
  }

  /** Creates a tenant, usable at once on every replica. Errors: `tenant_exists`. */
  async create(tenant: {
    id: string;
    name?: string | undefined;
    limits?: Partial<Limits> | undefined;
  }): Promise<TenantRecord> {
    const limits = { ...DEFAULT_LIMITS, ...withoutUndefined(tenant.limits ?? {}) };
    requireTenantId(tenant.id);
    // Listed first: a crash in between leaves a name that `list` skips, never a tenant that is not listed.
    await this.connection.write('ZADD', this.keyspace.tenants, 0, tenant.id);
    await this.write(tenant.id, true, { name: tenant.name ?? tenant.id, suspended: 0, ...limits });
    return this.get(tenant.id);
  }

  /** Changes the given fields of a tenant; a limit of null has its default again. Errors: `tenant_not_found`. */
  async update(
    id: string,
    change: {
      name?: string | undefined;
      suspended?: boolean | undefined;
      limits?: LimitsChange | undefined;
    },
  ): Promise<TenantRecord> {
    requireTenantId(id);
    const { name, suspended, limits = {} } = change;
    await this.write(id, false, {
      ...withoutUndefined({ name }),
      ...(suspended === undefined ? {} : { suspended: suspended ? 1 : 0 }),
      ...withoutUndefined(withDefaults(limits)),
    });
    return this.get(id);
  }

  /**
   * Deletes a suspended tenant with everything that is its own; its open tasks are cancelled. `onBegun` is called once it is marked: from
   * then on the tenant is not found, its id is not given again, and a worker goes on with a deletion that is cut off, as one that is
   * repeated does. Errors: `tenant_not_found`, `tenant_active`.
   */
  async delete(id: string, onBegun: () => void = () => {}): Promise<void> {
    if ((await this.deletionOf(id)) !== 'begun') {
      const { suspended } = await this.get(id);
      if (!suspended) throw refusalError(['tenant_active'], { tenantId: id });
      const reply = await this.upsert(id, false, { deleted: 1 });
      // Another deletion may have marked it just before: this one goes on beside it.
      if (reply[0] !== 'ok' && reply[1] !== 'begun') throw refusalError(reply, { tenantId: id });
    }
    onBegun();
    await removeDeletedTenant(this.keyspace, this.contextOf(id));
  }

  /** A deletion marks the record first, and takes its name last; '' where none has begun. */
  private async deletionOf(id: string): Promise<'begun' | 'done' | ''> {
    requireTenantId(id);
    const [deleted, name] = await this.connection.command((client) =>
      client.hmget(this.keyspace.tenant(id).tenant, 'deleted', 'name'),
    );
    if (deleted === null) return '';
    return name === null ? 'done' : 'begun';
  }

  /** Errors: `tenant_not_found`. */
  async get(id: string): Promise<TenantRecord> {
    const found = await readUsage(this.connection, this.keyspace.tenant(id));
    if (found === undefined)
      throw refusalError(['tenant_not_found', await this.deletionOf(id)], { tenantId: id });
    const { record, limits, usage } = found;
    return {
      id,
      name: record['name'] ?? id,
      suspended: record['suspended'] === '1',
      createdAt: new Date(Number(record['at'])).toISOString(),
      limits,
      openTasks: usage.openTasks,
      usage,
    };
  }

  /** Tenants in order of their ids, behind the id `after`; `next` is the last id of a page that others follow. */
  async list(
    after: string | undefined,
    most: number,
  ): Promise<{ tenants: TenantRecord[]; next: string | undefined }> {
    const from = after === undefined ? '-' : `(${after}`;
    const ids = await this.connection.command((client) =>
      client.zrange(this.keyspace.tenants, from, '+', 'BYLEX', 'LIMIT', 0, most + 1),
    );
    const page = ids.slice(0, most);
    const found = await Promise.allSettled(page.map((id) => this.get(id)));
    const tenants = found.flatMap((each) => {
      if (each.status === 'fulfilled') return [each.value];
      // Its creation was cut off, or its deletion.
      if (each.reason instanceof BatonError && each.reason.code === 'tenant_not_found') return [];
      throw each.reason;
    });
    return { tenants, next: ids.length > most ? page.at(-1) : undefined };
  }

  private async write(id: string, create: boolean, fields: Record<string, string | number>): Promise<void> {
    const reply = await this.upsert(id, create, fields);
    if (reply[0] !== 'ok') throw refusalError(reply, { tenantId: id });
  }

  private upsert(id: string, create: boolean, fields: Record<string, string | number>) {
    return runScript(
      { connection: this.connection, keys: this.keyspace.tenant(id) },
      UPSERT_TENANT,
      {},
      {
        create: create ? 1 : 0,
        name: id,
        channel: this.keyspace.admissionChannel,
        message: admissionMessage(id),
      },
      { args: Object.entries(fields).flat() },
    );
  }
}

function withDefaults(change: LimitsChange): object {
  const limits = Object.entries(change) as [keyof Limits, number | null][];
  return Object.fromEntries(
    limits.map(([name, most]) => [name, most === null ? DEFAULT_LIMITS[name] : most]),
  );
}

function withoutUndefined<T extends object>(values: T): Record<string, string | number> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Key names contain the id: an invalid one could name another key. */
function requireTenantId(id: string): void {
  if (!tenantIdSchema.safeParse(id).success) throw refusalError(['tenant_not_found'], { tenantId: id });
}
