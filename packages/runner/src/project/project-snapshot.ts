import {
  type ChangedFields,
  INITIAL_FIELDS,
  needWhole,
  type Project,
  ProjectFields,
} from '@baton/operations';
import type { ReadLimits } from '@baton/engine';
import { BatonError, DEFAULT_LIMITS } from '@baton/protocol';
import type { Projects } from '@baton/store';
import { SLICE_MS, TimeSlices, yieldEventLoop } from './time-slices.ts';

/** One read moves about so many characters, so that neither Redis nor the event loop is held by it. */
const READ_LENGTH = 262_144;
/** What a field is taken for whose length is not known. */
const USUAL_LENGTH = 16_384;
/** One read names at most so many fields: a script cannot take many more. */
const MOST_FIELDS = 2_000;

/** What a snapshot takes of the heap, roughly: in bytes, and for each character that was read. */
const LEAST_SIZE = 2_048;
const HEAP_OF_CHARACTER = 4;

/** How often a read begins anew when commits keep changing the project, before `project_conflict`. */
const ATTEMPTS = 50;

type ReadableProjects = Pick<Projects, 'open' | 'read'>;

/**
 * A stored project at one version, of which as much is read as is looked at: what a caller computes from it runs again and
 * again, each time with what it lacked before, until it lacks nothing. Should the project change meanwhile, what has changed
 * is read with it, or everything anew where Redis no longer knows what that is.
 */
export class ProjectSnapshot {
  private readonly projects: ReadableProjects;
  private readonly name: string;
  private fields: ProjectFields | undefined;
  private readVersion: string | undefined;
  /** When it was last known to be the project as it is, by `performance.now()`. */
  private currentAt = -Infinity;
  private attempts = 0;
  private limits: ReadLimits = DEFAULT_LIMITS;
  /** How long was computed, in milliseconds, since the event loop was given up for it. */
  private computedMs = 0;
  /** Committed, and not yet in `fields`: most segments read nothing after their commit. */
  private committed: ChangedFields[] = [];

  constructor(projects: ReadableProjects, name: string) {
    this.projects = projects;
    this.name = name;
  }

  /** The version of what was read; undefined where no such project exists. */
  get version(): string | undefined {
    return this.readVersion === '0' ? undefined : this.readVersion;
  }

  /** The bytes of heap that it takes, roughly. */
  get size(): number {
    return LEAST_SIZE + HEAP_OF_CHARACTER * (this.fields?.addedLength ?? 0);
  }

  /** True where something was read of it. */
  get isRead(): boolean {
    return this.readVersion !== undefined;
  }

  /** True where it was the project as it is at `since`, a time of `performance.now()`, or later. */
  isCurrent(since: number): boolean {
    return this.currentAt >= since;
  }

  /** The fields that were read; undefined where no such project exists. */
  get stored(): ProjectFields | undefined {
    return this.current();
  }

  /**
   * What `compute` returns or throws for the project. It must be pure: it runs several times. `undefined` is a project
   * that does not exist. `shown` is the part of the result that leaves the computation: all of it, by default.
   * Errors: those of `compute`, `project_conflict`.
   */
  async evaluate<T>(
    compute: (project: Project | undefined, limits: ReadLimits) => T,
    shown: (result: T) => unknown = (result) => result,
  ): Promise<T> {
    if (this.readVersion === undefined) await this.open();
    for (;;) {
      // Eight branches may compute one after the other over what is read already.
      if (this.computedMs >= SLICE_MS) await this.giveUpEventLoop();
      const fields = this.current();
      if (fields === undefined) return compute(undefined, this.limits);
      fields.missing.clear();
      const since = performance.now();
      let result: { readonly value: T } | { readonly thrown: unknown };
      try {
        result = { value: compute(fields.project, this.limits) };
        if (!fields.whole) needWhole(shown(result.value));
      } catch (thrown) {
        result = { thrown };
      }
      this.computedMs += performance.now() - since;
      if (fields.missing.size === 0) {
        if ('thrown' in result) throw result.thrown;
        return result.value;
      }
      // Computed with stand-ins: neither a result nor an error counts.
      await this.readMissing();
    }
  }

  private async giveUpEventLoop(): Promise<void> {
    await yieldEventLoop();
    this.computedMs = 0;
  }

  /** Reads what was looked at and is not read. */
  async readMissing(): Promise<void> {
    await this.readMore(this.current()?.wanted ?? []);
  }

  /** Goes on from a change that was committed, and sent at a time of `performance.now()`; each commit raises the version by one. */
  recordCommit(change: ChangedFields, sentAt: number): void {
    this.committed.push(change);
    this.currentAt = sentAt;
    this.readVersion = String(Number(this.readVersion) + 1);
  }

  /** Reads what has changed, unless it was the project as it is at `since` or later. */
  async refresh(since: number): Promise<void> {
    if (this.isCurrent(since)) return;
    const sentAt = performance.now();
    const fields = this.version === undefined ? undefined : this.current();
    const read = fields && (await this.projects.read(this.name, [], this.readVersion));
    if (read?.changed !== undefined) {
      this.currentAt = sentAt;
      this.limits = read.limits;
    }
    if (fields !== undefined && read?.changed !== undefined) this.catchUp(fields, read.version, read.changed);
    else this.readVersion = undefined;
  }

  private catchUp(fields: ProjectFields, version: string, changed: ReadonlyMap<string, string | undefined>) {
    if (version === this.readVersion) return;
    const set: [string, string][] = [];
    const deleted: string[] = [];
    for (const [field, text] of changed) {
      if (text === undefined) deleted.push(field);
      else set.push([field, text]);
    }
    fields.apply({ set, copy: [], delete: deleted });
    this.attempts = 0;
    this.readVersion = version;
  }

  private current(): ProjectFields | undefined {
    for (const change of this.committed) {
      this.fields ??= new ProjectFields({ whole: true });
      this.fields.apply(change);
    }
    this.committed = [];
    return this.fields;
  }

  private async open(): Promise<void> {
    const sentAt = performance.now();
    const read = await this.projects.open(this.name, INITIAL_FIELDS);
    this.currentAt = sentAt;
    this.fields = undefined;
    this.committed = [];
    this.readVersion = read?.version ?? '0';
    if (read === undefined) return;
    this.limits = read.limits;
    this.fields = new ProjectFields(read);
    for (const [field, text] of read.fields)
      if (text !== undefined || !this.fields.whole) this.fields.add(field, text);
  }

  /** Reads fields in parts, each with what has changed; everything anew where Redis no longer knows that. */
  private async readMore(names: readonly string[]): Promise<void> {
    const slices = new TimeSlices();
    // As often as it fails, the parts are larger, so that it comes to its end beside commits.
    for (const part of this.parts(names, READ_LENGTH * 2 ** this.attempts)) {
      const { fields, readVersion } = this;
      const sentAt = performance.now();
      const read = await this.projects.read(this.name, part, readVersion);
      if (fields === undefined || read?.changed === undefined) return this.readAnew(names);
      this.currentAt = sentAt;
      this.catchUp(fields, read.version, read.changed);
      for (const [field, text] of read.fields) {
        await slices.next();
        fields.add(field, text);
      }
    }
    await yieldEventLoop();
  }

  private async readAnew(names: readonly string[]): Promise<void> {
    if (++this.attempts > ATTEMPTS)
      throw new BatonError(
        'project_conflict',
        `The project changed ${ATTEMPTS} times while it was read. Repeat the call.`,
      );
    const wanted = new Set([...(this.fields?.names ?? []), ...names]);
    await this.open();
    const { fields } = this;
    if (fields !== undefined) await this.readMore([...wanted].filter((name) => !fields.has(name)));
  }

  private *parts(names: readonly string[], most: number): Generator<string[]> {
    let part: string[] = [];
    let length = 0;
    for (const name of names) {
      part.push(name);
      length += this.fields?.expectedLength(name) ?? USUAL_LENGTH;
      if (length < most && part.length < MOST_FIELDS) continue;
      yield part;
      part = [];
      length = 0;
    }
    if (part.length > 0) yield part;
  }
}
