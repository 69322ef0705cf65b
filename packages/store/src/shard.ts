import { BatonError } from '@baton/protocol';
import type { Connection } from './connection.ts';
import type { Inbox } from './inbox.ts';
import { parseMember, type ShardKeys, taskRef } from './keys.ts';
import { run } from './script.ts';
import { ATTEND, EXPIRE, HOLD, LOAD, SWEEP, TAKE } from './scripts.ts';
import type { Segment } from './segment.ts';
import type { Tenant } from './tenant.ts';
import { ATTENDANCE, SEGMENT_LEASE, SWEEP_HOLD, SWEEP_INTERVAL } from './ttl.ts';

/** How many due tasks or dead leases one sweep looks at. */
const SWEEP_MOST = 500;

/**
 * A shard as workers see it: what is ready, what has fallen due. Crosses tenants, so only the worker may open it.
 */
export class Shard {
  readonly index: number;
  private readonly connection: Connection;
  private readonly keys: ShardKeys;
  private readonly tenant: (name: string) => Tenant;
  private readonly inbox: Inbox;
  private readonly addJob: () => Promise<boolean>;

  constructor(
    index: number,
    connection: Connection,
    keys: ShardKeys,
    tenant: (name: string) => Tenant,
    inbox: Inbox,
    addJob: () => Promise<boolean>,
  ) {
    this.index = index;
    this.connection = connection;
    this.keys = keys;
    this.tenant = tenant;
    this.inbox = inbox;
    this.addJob = addJob;
  }

  /** Leases up to `most` ready tasks, tenants in turn, and loads them. `left`: how many still stand ready. */
  async take(most: number): Promise<{ left: number; segments: Segment[] }> {
    const { ready, turns, leased } = this.keys;
    const reply = await run(this.connection, TAKE, { ready, turns, leased }, { most, lease: SEGMENT_LEASE });
    const segments = await this.load(reply.slice(1).map(String));
    return { left: Number(reply[0]), segments };
  }

  /**
   * Begins a shift, or goes on with it: until a little while from now `ring` is called when a task joins the empty
   * ready set, and no job is added for it; a task that stands alone is handed over, leased and loaded. Returns how many
   * tasks stand ready.
   */
  async attend(ring: () => void, hand: (segment: Segment) => void): Promise<number> {
    this.inbox.onReady(this.keys.ready, {
      ring,
      hand: (member, loaded) => {
        const { tenant, taskId } = parseMember(member);
        hand(this.tenant(tenant).segment(taskId, loaded));
      },
    });
    return this.runAttend(ATTENDANCE);
  }

  /** Ends the shift. Returns how many tasks stand ready: nobody was told of those, so they are to be taken first. */
  async leave(): Promise<number> {
    return this.runAttend(0);
  }

  /** Gives a segment that takes long the time of one that was taken. */
  async hold({ tenant, taskId }: Segment): Promise<void> {
    const member = this.tenant(tenant).keys.member(taskId);
    await run(this.connection, HOLD, { leased: this.keys.leased }, { member, lease: SEGMENT_LEASE });
  }

  /** Loads one task anew behind a new fence; undefined when it has ended. */
  async reload(segment: Segment): Promise<Segment | undefined> {
    const [again] = await this.load([`${segment.tenant}:${taskRef(segment.taskId)}`]);
    return again;
  }

  /** Gives tasks what has fallen due, and back what dead workers held. True when something stands ready. */
  async sweep(): Promise<boolean> {
    const { deadlines, ready, turns, shifts, leased, swept } = this.keys;
    const reply = await run(
      this.connection,
      SWEEP,
      { deadlines, ready, turns, shifts, leased, swept },
      { interval: SWEEP_INTERVAL, most: SWEEP_MOST, hold: SWEEP_HOLD },
    );
    if (Number(reply[0]) < 0) return false;
    const due = reply.slice(1).map(String);
    const woken = await Promise.all(due.map((member) => this.expire(member)));
    return Number(reply[0]) > 0 || woken.some((size) => size > 0);
  }

  /** Has BullMQ call a worker; false when it cannot, since BullMQ takes no job while Redis is full. */
  callWorker(): Promise<boolean> {
    return this.addJob();
  }

  private async runAttend(attendance: number): Promise<number> {
    const { ready, shifts } = this.keys;
    const { channel } = this.inbox;
    const [size] = await run(this.connection, ATTEND, { ready, shifts }, { channel, attendance });
    return Number(size);
  }

  private async load(members: readonly string[]): Promise<Segment[]> {
    if (members.length === 0) return [];
    const tasks = members.map((member) => {
      const { tenant, taskId } = parseMember(member);
      return { tenant: this.tenant(tenant), taskId };
    });
    const reply = await run(
      this.connection,
      LOAD,
      { leased: this.keys.leased },
      {},
      {
        keys: tasks.map(({ tenant, taskId }) => tenant.keys.task(taskId)),
        args: members,
      },
    );
    return tasks.flatMap(({ tenant, taskId }, index) => {
      const loaded = reply[index];
      return Array.isArray(loaded) ? [tenant.segment(taskId, loaded)] : [];
    });
  }

  /** Returns the size of the ready set when the task joined it. */
  private async expire(member: string): Promise<number> {
    const { tenant, taskId } = parseMember(member);
    const { keys, lifetimes } = this.tenant(tenant);
    const { deadlines, ready, turns, shifts, leased } = this.keys;
    const reply = await run(
      this.connection,
      EXPIRE,
      {
        tenant: keys.record,
        task: keys.task(taskId),
        pending: keys.pending,
        claims: keys.claims,
        deadlines,
        ready,
        turns,
        shifts,
        leased,
        listeners: keys.listeners,
      },
      {
        member,
        ref: taskRef(taskId),
        expired: JSON.stringify(INTERACTION_EXPIRED.toWire()),
        taskExpired: JSON.stringify(taskExpired(taskId).toWire()),
        retention: lifetimes.retention,
      },
    );
    return reply[0] === 'due' ? Number(reply[1]) : 0;
  }
}

const INTERACTION_EXPIRED = new BatonError(
  'interaction_expired',
  'An LLM request of this task was not answered by its deadline. Start the call again.',
);

function taskExpired(taskId: string): BatonError {
  return new BatonError(
    'task_expired',
    `Task '${taskId}' did not end by its deadline. Start the call again.`,
    { taskId },
  );
}
