import { type KeyParts, scope } from '@baton/protocol';
import { Caller } from './caller.ts';
import { Changes } from './changes.ts';
import type { Connection } from './connection.ts';
import { Claims } from './claims.ts';
import { Credentials } from './credentials.ts';
import { Interactions } from './interactions.ts';
import type { TenantKeys } from './keys.ts';
import type { LiveWorkers } from './live-workers.ts';
import { Listing } from './listing.ts';
import { Place } from './place.ts';
import { Projects } from './projects.ts';
import { Segment } from './segment.ts';
import { Sessions } from './sessions.ts';
import { Tasks } from './tasks.ts';
import type { Lifetimes } from './ttl.ts';

/**
 * The door to one tenant's data. There is no other way in, and nothing behind it takes a tenant's id.
 */
export class Tenant {
  readonly id: string;
  readonly keys: TenantKeys;
  readonly lifetimes: Lifetimes;
  readonly tasks: Tasks;
  readonly interactions: Interactions;
  readonly listing: Listing;
  readonly claims: Claims;
  readonly projects: Projects;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly changes: Changes;
  private readonly place: Place;
  private readonly pepper: string;

  constructor(
    connection: Connection,
    keys: TenantKeys,
    lifetimes: Lifetimes,
    addJob: Place['addJob'],
    workers: LiveWorkers,
    pepper: string,
  ) {
    this.id = keys.name;
    this.keys = keys;
    this.lifetimes = lifetimes;
    this.pepper = pepper;
    this.place = new Place(connection, keys, lifetimes, addJob, workers);
    this.tasks = new Tasks(this.place);
    this.interactions = new Interactions(this.place);
    this.claims = new Claims(this.place);
    this.listing = new Listing(this.place);
    this.projects = new Projects(this.place);
    this.sessions = new Sessions(this.place);
    this.changes = new Changes(this.place);
    this.credentials = new Credentials(this.place, this.changes, pepper);
  }

  /** A request that shows one of the tenant's keys; `bytes` is the size of its body. */
  caller(key: KeyParts, bytes: number): Caller {
    return Caller.withKey(this.place.connection, this.keys, key, this.pepper, bytes);
  }

  /** A request that Baton itself vouches for, with every scope. */
  operator(): Caller {
    return Caller.trusted(this.place.connection, this.keys, {
      principal: 'operator',
      scopes: new Set(scope.options),
    });
  }

  /** A segment of a task that the job of this number has, from what DEQUEUE or LOAD reply of it. */
  segment(taskId: string, job: number, reply: readonly unknown[]): Segment {
    return new Segment(this.place, this.projects, taskId, job, reply);
  }

  /** The programs (`"<name> <version>"`) that live workers have; undefined where no worker lives. */
  programs(): Promise<ReadonlySet<string> | undefined> {
    return this.place.workers.programs();
  }

  /** Adds the job that a script asked for, if it did. */
  addJob(job: string, taskId?: string): void {
    this.place.addJob(job, taskId);
  }
}
