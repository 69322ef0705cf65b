import { type KeyParts, scope } from '@baton/protocol';
import { Caller } from './tenant/caller.ts';
import { ChangeFeed } from './tenant/change-feed.ts';
import type { Connection } from './redis/connection.ts';
import { Claims } from './tasks/claims.ts';
import { Credentials } from './tenant/credentials.ts';
import { Interactions } from './tasks/interactions.ts';
import type { TenantKeys } from './records/keys.ts';
import type { WorkerRegistry } from './queues/worker-registry.ts';
import { Queries } from './queries/queries.ts';
import { TenantContext } from './tenant/tenant-context.ts';
import { Projects } from './tenant/projects.ts';
import { TaskLease } from './tasks/task-lease.ts';
import { Sessions } from './tenant/sessions.ts';
import { Tasks } from './tasks/tasks.ts';
import type { Lifetimes } from './records/ttl.ts';

/**
 * The door to one tenant's data. There is no other way in, and nothing behind it takes a tenant's id.
 */
export class TenantStore {
  readonly id: string;
  readonly keys: TenantKeys;
  readonly lifetimes: Lifetimes;
  readonly tasks: Tasks;
  readonly interactions: Interactions;
  readonly queries: Queries;
  readonly claims: Claims;
  readonly projects: Projects;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly changes: ChangeFeed;
  private readonly context: TenantContext;
  private readonly pepper: string;

  constructor(
    connection: Connection,
    keys: TenantKeys,
    lifetimes: Lifetimes,
    addJob: TenantContext['addJob'],
    workers: WorkerRegistry,
    pepper: string,
  ) {
    this.id = keys.name;
    this.keys = keys;
    this.lifetimes = lifetimes;
    this.pepper = pepper;
    this.context = new TenantContext(connection, keys, lifetimes, addJob, workers);
    this.tasks = new Tasks(this.context);
    this.interactions = new Interactions(this.context);
    this.claims = new Claims(this.context);
    this.queries = new Queries(this.context);
    this.projects = new Projects(this.context);
    this.sessions = new Sessions(this.context);
    this.changes = new ChangeFeed(this.context);
    this.credentials = new Credentials(this.context, this.changes, pepper);
  }

  /** A request that shows one of the tenant's keys; `bytes` is the size of its body. */
  caller(key: KeyParts, bytes: number): Caller {
    return Caller.withKey(this.context.connection, this.keys, key, this.pepper, bytes);
  }

  /** A request that Baton itself vouches for, with every scope. */
  operatorCaller(): Caller {
    return Caller.trusted(this.context.connection, this.keys, {
      principal: 'operator',
      scopes: new Set(scope.options),
    });
  }

  /** A segment of a task that the job of this number has, from what DEQUEUE or LOAD reply of it. */
  taskLease(taskId: string, job: number, reply: readonly unknown[]): TaskLease {
    return new TaskLease(this.context, this.projects, taskId, job, reply);
  }

  /** The programs (`"<name> <version>"`) that live workers have; undefined where no worker lives. */
  livePrograms(): Promise<ReadonlySet<string> | undefined> {
    return this.context.workers.programs();
  }

  /** Adds the job that a script asked for, if it did. */
  addJob(job: string, taskId?: string): void {
    this.context.addJob(job, taskId);
  }
}
