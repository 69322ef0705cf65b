import type { CursorSeal } from '../cursors/cursor-seal.ts';
import type { Connection } from '../redis/connection.ts';
import type { TenantKeys } from '../records/keys.ts';
import type { UnansweredWait } from '../records/unanswered-waits.ts';
import type { WorkerRegistry } from '../queues/worker-registry.ts';
import type { AgentDefinitionCache } from './agent-definition-cache.ts';
import type { KeyedMutex } from './keyed-mutex.ts';
import type { Roles } from './roles.ts';
import type { Lifetimes } from '../records/durations.ts';

/** What every part of a tenant's store shares: its connection, its keys, and the jobs and workers of its shard. */
export interface TenantContext {
  readonly connection: Connection;
  readonly keys: TenantKeys;
  readonly lifetimes: Lifetimes;
  /** Adds the BullMQ jobs that a script requests: "number list" or "ref.number call" each, or '' for none. Never throws. */
  readonly addJob: (request: string, taskId?: string) => void;
  /** Is told of requests of traced tasks that have ended without an answer. */
  readonly onUnanswered: (waits: readonly UnansweredWait[]) => void;
  /** The workers of the tenant's shard. */
  readonly workers: WorkerRegistry;
  /** Seals the cursors of the tenant's lists. */
  readonly cursors: CursorSeal;
  /** What the requests of the tenant's roles are asked of. */
  readonly roles: Roles;
  /** The agents of tenants as this process has read them. */
  readonly agentDefinitions: AgentDefinitionCache;
  /** Orders the calls of this process on each project, and reads of whole definitions, by their key, and keeps what calls have read of a project. */
  readonly mutex: KeyedMutex;
}

/** A part of a tenant's store. */
export abstract class TenantPart {
  protected readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }
}
