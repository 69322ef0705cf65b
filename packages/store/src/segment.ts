import type { JsonObject, WireError } from '@baton/protocol';
import { OversizedRequest } from './oversized-request.ts';
import { addWaits, type Parked } from './parked.ts';
import type { Place } from './place.ts';
import type { AtVersion, ProjectChange, Projects, StoredProject, Within } from './projects.ts';
import { run } from './script.ts';
import { PARK, RELEASE, SETTLE } from './scripts.ts';
import { parseProgram } from './task-view.ts';

/** What a segment starts from. */
export interface SegmentState {
  readonly operation: string;
  readonly version: number;
  readonly input: JsonObject;
  readonly principal: string;
  /** The journal as text, by path. */
  readonly journal: ReadonlyMap<string, string>;
  /** Paths of what is open already. */
  readonly open: ReadonlySet<string>;
  /** The events that this segment has seen. */
  readonly seen: string;
  /** How many interactions the task has opened so far. */
  readonly interactions: number;
  /** Segments begun since the task last parked, this one included. */
  readonly tries: number;
}

/**
 * The right to run a task's segment: everything that it writes is fenced, so that a holder who lost it writes nothing.
 * Each method returns 'stale' in that case; the segment is then someone else's and is left alone.
 */
export class Segment {
  readonly taskId: string;
  readonly state: SegmentState;
  private readonly place: Place;
  private readonly projects: Projects;
  private readonly fence: string;

  constructor(place: Place, projects: Projects, taskId: string, reply: readonly unknown[]) {
    this.place = place;
    this.projects = projects;
    this.taskId = taskId;
    this.fence = String(reply[0]);
    this.state = parseState(Number(reply[1]), reply.slice(2) as string[]);
  }

  get tenant(): string {
    return this.place.keys.name;
  }

  readProject(name: string): Promise<StoredProject | undefined> {
    return this.projects.read(name);
  }

  /**
   * Writes a command's effect and its outcome, with what the segment has done before; the texts are the journal's.
   * `journaled` is the outcome that an earlier run of this segment landed.
   */
  async commit(
    name: string,
    before: AtVersion | undefined,
    change: ProjectChange,
    outcome: Pick<Within, 'path' | 'entry' | 'journal'>,
  ): Promise<'committed' | 'conflict' | 'stale' | { journaled: string }> {
    const task = this.place.keys.task(this.taskId);
    const reply = await this.projects.runCommit(name, before, change, {
      ...outcome,
      fence: this.fence,
      task,
    });
    const [code, fact] = reply.map(String);
    return code === 'journaled' ? { journaled: fact ?? '' } : (code as 'committed' | 'conflict' | 'stale');
  }

  /** Ends the segment at what it awaits. 'again': something came meanwhile; load the task anew and go on. Errors: OversizedRequest. */
  async park(parked: Parked): Promise<'parked' | 'again' | 'stale'> {
    const { keys, connection, lifetimes } = this.place;
    const { task, member, ref } = keys.names(this.taskId);
    const args: (string | number)[] = [...parked.journal.flat(), ...parked.drops];
    addWaits(args, parked.waits, lifetimes);
    const reply = await run(
      connection,
      PARK,
      {
        tenant: keys.record,
        task,
        pending: keys.pending,
        deadlines: keys.shard.deadlines,
        leased: keys.shard.leased,
        listeners: keys.listeners,
      },
      {
        fence: this.fence,
        member,
        ref,
        seen: this.state.seen,
        journal: parked.journal.length,
        drops: parked.drops.length,
        opens: parked.waits.length,
      },
      { args },
    );
    if (reply[0] === 'limit_size') throw new OversizedRequest(reply);
    return reply[0] as 'parked' | 'again' | 'stale';
  }

  /** Ends the task. */
  async settle(
    end: { status: 'completed'; result: JsonObject } | { status: 'failed'; error: WireError },
  ): Promise<'settled' | 'stale'> {
    const { keys, connection, lifetimes } = this.place;
    const { task, member, ref } = keys.names(this.taskId);
    const reply = await run(
      connection,
      SETTLE,
      {
        tenant: keys.record,
        task,
        pending: keys.pending,
        claims: keys.claims,
        deadlines: keys.shard.deadlines,
        ready: keys.shard.ready,
        leased: keys.shard.leased,
        listeners: keys.listeners,
      },
      {
        fence: this.fence,
        member,
        ref,
        status: end.status,
        payload: JSON.stringify(end.status === 'completed' ? end.result : end.error),
        retention: lifetimes.retention,
      },
    );
    return reply[0] as 'settled' | 'stale';
  }

  /**
   * Puts the task back; it is ready again after `pause` milliseconds. `counted` false: this try was not the task's to
   * answer for, and does not count.
   */
  async release(pause: number, counted = true): Promise<'released' | 'stale'> {
    const { keys, connection } = this.place;
    const reply = await run(
      connection,
      RELEASE,
      { task: keys.task(this.taskId), deadlines: keys.shard.deadlines, leased: keys.shard.leased },
      {
        fence: this.fence,
        member: keys.member(this.taskId),
        pause,
        tries: this.state.tries - (counted ? 0 : 1),
      },
    );
    return reply[0] as 'released' | 'stale';
  }
}

function parseState(tries: number, pairs: readonly string[]): SegmentState {
  const fields = new Map<string, string>();
  const journal = new Map<string, string>();
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const field = pairs[at] ?? '';
    const value = pairs[at + 1] ?? '';
    if (field.startsWith('j:')) journal.set(field.slice(2), value);
    else fields.set(field, value);
  }
  const open = new Set<string>();
  for (const entry of (fields.get('open') ?? '').split(' ')) {
    const path = entry.split(';')[3];
    if (path !== undefined) open.add(path);
  }
  const { operation, version } = parseProgram(fields.get('op'));
  return {
    operation,
    version,
    input: JSON.parse(fields.get('in') ?? 'null') as JsonObject,
    principal: fields.get('pr') ?? '',
    journal,
    open,
    seen: fields.get('ev') ?? '0',
    interactions: Number(fields.get('sq') ?? 0),
    tries,
  };
}
