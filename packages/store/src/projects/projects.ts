import { randomUUID } from 'node:crypto';
import { BatonError, type Limits } from '@baton/protocol';
import { formatCursor, parseCursor } from '../cursors/cursor.ts';
import type { Page } from '../records/page.ts';
import { IDEMPOTENCY_TTL } from '../records/durations.ts';
import { refusalError } from '../records/refusal-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { LockedKey } from '../tenant/keyed-mutex.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { runScript } from '../scripts/script.ts';
import { fieldKinds, isDeletion, needsStaging, type ProjectChange } from './project-change.ts';
import { stageChange } from './stage-change.ts';
import {
  COMMIT,
  COMMIT_DELETION,
  COMMIT_IN_TASK,
  DELETE_PROJECT,
  NOTE_PROJECT_USE,
  READ_PROJECT,
} from '../scripts/registry.ts';

/**
 * Some fields of a stored project as they were at one version (see the project record in packages/operations); undefined
 * for a field that does not exist.
 */
export interface StoredProject {
  readonly version: string;
  /** True where these are all fields of the project. */
  readonly whole: boolean;
  readonly fields: ReadonlyMap<string, string | undefined>;
  /** The fields that have changed since the version that the reader knew; absent where Redis no longer knows which those are. */
  readonly changed?: ReadonlyMap<string, string | undefined>;
  /** Those of the tenant's limits that bound what is made of it. */
  readonly limits: Pick<Limits, 'promptTokens'>;
}

/** The version from which a change was computed. */
export type ProjectVersion = Pick<StoredProject, 'version'>;

/** The fields of the project's hash that the scripts keep: its version, and what is counted of it while it is staged. */
const VERSION = 'v';
const OF_SCRIPTS: ReadonlySet<string> = new Set([VERSION, 'part', 'bytes']);

/** A project whose values have at most so many bytes is read whole. */
const SMALL_PROJECT_BYTES = 65_536;

/** The task that commits, its fence, and the journal entries that the commit writes. */
export interface TaskCommit {
  readonly task: string;
  readonly fence: string;
  readonly path: string;
  readonly entry: string;
  readonly journal: readonly (readonly [path: string, entry: string])[];
}

const NO_CHANGE: ProjectChange = { set: [], delete: [] };

const NO_TASK: TaskCommit = { task: '', fence: '', path: '', entry: '', journal: [] };

/** An idempotency key and the arguments of its call, as digests. */
export interface Idempotency {
  readonly key: string;
  readonly arguments: string;
}

/** What is kept of a call with an idempotency key. */
interface KeptCall extends Idempotency {
  readonly outcome: string;
}

const NO_KEY: KeptCall = { key: '', arguments: '', outcome: '' };

/** A tenant may have any number of projects; so many names are read at once. */
const MAX_NAMES = 1_000;

/** What a project takes of its tenant's `storedBytes`, and when it was last read or changed, to an hour. */
export interface ProjectUse {
  readonly name: string;
  /** 0 where nothing has counted it yet. */
  readonly bytes: number;
  /** ISO 8601; absent where it was not used since there are notes of it. */
  readonly lastUsedAt?: string;
}

/** Redis decides by its own clock whether there is something to note. */
const USE_NOTED_EVERY_MS = 3_600_000;

/** An entry of `projectUse`: the time in milliseconds, a space, the bytes. */
function parseUse(entry: string | null | undefined): { usedAt: number; bytes: number } {
  const [usedAt = '0', bytes = '0'] = (entry ?? '').split(' ');
  return { usedAt: Number(usedAt), bytes: Number.parseInt(bytes || '0', 10) };
}

/** Projects are their tenant's: whoever may list them sees the same. */
const WHOLE_TENANT: Identity = { principal: '', scopes: new Set(['agent']) };

/** A tenant's projects. */
export class Projects extends TenantPart {
  /** The project's fields with these names, all of them where the project is small; undefined when none has this name. */
  async open(name: string, fields: readonly string[] = []): Promise<StoredProject | undefined> {
    return this.readFields(READ_PROJECT, name, fields, SMALL_PROJECT_BYTES, '');
  }

  /** The project's fields with these names, and what has changed since a version; undefined when none has this name. */
  async read(name: string, fields: readonly string[], since = ''): Promise<StoredProject | undefined> {
    // How long the fields are is not known here.
    const script = fields.length > 0 ? { ...READ_PROJECT, alone: true as const } : READ_PROJECT;
    return this.readFields(script, name, fields, 0, since);
  }

  /** When a change is made now, by Redis's clock, as ISO 8601: processes whose clocks differ date changes alike. */
  now(): string {
    return new Date(this.context.connection.clock.now()).toISOString();
  }

  /** Runs `work` once no other call of this process works on the project, in the order of the calls. */
  async withProjectMutex<T>(name: string, work: (held: LockedKey) => Promise<T>): Promise<T> {
    return this.context.mutex.hold(this.context.keys.project(name), work);
  }

  private async readFields(
    script: typeof READ_PROJECT,
    name: string,
    fields: readonly string[],
    whole: number,
    since: string,
  ): Promise<StoredProject | undefined> {
    const { keys } = this.context;
    const reply = await runScript(
      this.context,
      script,
      { project: keys.project(name), projectChanges: keys.projectChanges(name) },
      { name, whole, since },
      { args: fields },
    );
    const [kind, version, use, promptTokens, known, ...values] = reply as [
      string,
      string,
      string,
      string,
      number,
      ...(string | null)[],
    ];
    if (kind === 'none') return undefined;
    if (this.context.connection.clock.now() - parseUse(use).usedAt > USE_NOTED_EVERY_MS)
      await this.noteUse(name);
    const read = new Map<string, string | undefined>();
    if (kind === 'part') for (const [at, field] of fields.entries()) read.set(field, values[at] ?? undefined);
    else
      for (let at = 0; at + 1 < values.length; at += 2)
        read.set(values[at] ?? '', values[at + 1] ?? undefined);
    read.delete(VERSION);
    const limits = { promptTokens: Number(promptTokens) };
    const found = { version, whole: kind === 'whole', fields: read, limits };
    if (known < 0) return found;
    const changed = new Map<string, string | undefined>();
    for (let at = fields.length; kind === 'part' && at + 1 < values.length; at += 2)
      changed.set(values[at] ?? '', values[at + 1] ?? undefined);
    return { ...found, changed };
  }

  /** The names of projects in order, of those behind `after`; at most `most`. */
  async names(after?: string, most = MAX_NAMES): Promise<string[]> {
    const { connection, keys } = this.context;
    const from = after === undefined ? '-' : `(${after}`;
    return connection.command((client) => client.zrange(keys.projects, from, '+', 'BYLEX', 'LIMIT', 0, most));
  }

  /** The same in pages. Errors: `invalid_arguments` naming the cursor. */
  async page(cursor?: string): Promise<Page<string>> {
    const cursors = this.context.cursors.of('projects', WHOLE_TENANT);
    const after = cursor === undefined ? undefined : parseCursor(cursors, cursor).member;
    const items = await this.names(after);
    const last = items.at(-1);
    if (last === undefined || items.length < MAX_NAMES) return { items };
    return { items, nextCursor: formatCursor(cursors, { score: '0', member: last }) };
  }

  /** What projects take, by their names. */
  async uses(names: readonly string[]): Promise<ProjectUse[]> {
    if (names.length === 0) return [];
    const { connection, keys } = this.context;
    const entries = await connection.command((client) => client.hmget(keys.projectUse, ...names));
    return names.map((name, at) => {
      const { usedAt, bytes } = parseUse(entries[at]);
      return { name, bytes, ...(usedAt === 0 ? {} : { lastUsedAt: new Date(usedAt).toISOString() }) };
    });
  }

  /**
   * Deletes a project with all that it holds. What a running task then commits to it finds none. `replayed`: a call with
   * the same idempotency key deleted it before, and nothing was deleted now. Errors: `project_not_found`,
   * `idempotency_conflict`.
   */
  async delete(name: string, idempotency?: Idempotency): Promise<'deleted' | 'replayed'> {
    const { keys } = this.context;
    const reply = await runScript(
      this.context,
      DELETE_PROJECT,
      { project: keys.project(name), projectChanges: keys.projectChanges(name) },
      // All that there is to tell of a deletion is that it landed.
      { name, ...NO_KEY, ...idempotency, keep: IDEMPOTENCY_TTL },
    );
    const code = reply[0] as 'deleted' | 'replayed' | 'project_not_found' | 'idempotency_conflict';
    if (code === 'deleted' || code === 'replayed') return code;
    if (code === 'idempotency_conflict') throw refusalError(reply);
    throw new BatonError(
      'project_not_found',
      `There is no project '${name}'. See which there are in baton://projects.`,
      { projectRoot: name },
    );
  }

  private async noteUse(name: string): Promise<void> {
    const { keys } = this.context;
    await runScript(this.context, NOTE_PROJECT_USE, { project: keys.project(name) }, { name });
  }

  /**
   * Applies a change that was computed from `before`, outside any task. `conflict`: the project has another version by
   * now; read it again and compute the change anew. `replayed`: a call with the same idempotency key landed before, with
   * this outcome. Errors: `idempotency_conflict`, `limit_storage`.
   */
  async commit(
    name: string,
    before: ProjectVersion | undefined,
    change: ProjectChange,
    kept: KeptCall = NO_KEY,
  ): Promise<'committed' | 'conflict' | { readonly replayed: string }> {
    const reply = await this.runCommit(name, before, change, NO_TASK, kept);
    if (reply[0] === 'replayed') return { replayed: String(reply[1]) };
    if (reply[0] === 'idempotency_conflict' || reply[0] === 'limit_storage') throw refusalError(reply);
    return reply[0] as 'committed' | 'conflict';
  }

  /**
   * The outcome that is kept under an idempotency key, or undefined where no call is known that landed under it. Errors:
   * `idempotency_conflict`, with `landed` for a call whose outcome has left.
   */
  async keptOutcome({ key, arguments: given }: Idempotency): Promise<string | undefined> {
    const { connection, keys } = this.context;
    // In this order: a call that lands in between is told by its outcome.
    const [landed, kept] = await connection.command((client) =>
      Promise.all([client.zscore(keys.landed, key), client.hget(keys.outcomes, key)]),
    );
    if (kept === null && landed !== null) throw refusalError(['idempotency_conflict', 'landed']);
    if (kept === null) return undefined;
    const space = kept.indexOf(' ');
    if (kept.slice(0, space) !== given) throw refusalError(['idempotency_conflict']);
    return kept.slice(space + 1);
  }

  /** COMMIT, within a task's segment or outside; see the script's header for the reply. */
  async runCommit(
    name: string,
    before: ProjectVersion | undefined,
    change: ProjectChange,
    within: TaskCommit,
    kept: KeptCall = NO_KEY,
  ): Promise<unknown[]> {
    const { connection, keys } = this.context;
    const taken = change.set.find(([field]) => OF_SCRIPTS.has(field));
    if (taken) throw new BatonError('internal', `A project field may not be called '${taken[0]}'.`);
    const project = keys.project(name);
    const outside = within.task === '';
    const version = before?.version ?? '0';
    const staged = needsStaging(change) ? keys.stagedChange(randomUUID()) : project;
    const parts =
      staged === project ? 0 : await stageChange(connection, { project, staged }, version, change);
    if (parts === 'conflict') return [parts];
    const given = parts === 0 ? change : NO_CHANGE;
    const copies = given.copy ?? [];
    // A task's commit is acknowledged by READ_TASK_AND_REGISTER_WAITER, with which clients learn of it.
    const script = !outside ? COMMIT_IN_TASK : isDeletion(change) ? COMMIT_DELETION : COMMIT;
    return runScript(
      this.context,
      // How long the values are that are copied is not known here.
      copies.length > 0 ? { ...script, alone: true } : script,
      { task: outside ? project : within.task, project, projectChanges: keys.projectChanges(name), staged },
      {
        fence: within.fence,
        path: within.path,
        entry: within.entry,
        version,
        name,
        journal: within.journal.length,
        parts,
        kinds: [...fieldKinds(change)].join(' '),
        sets: given.set.length,
        copies: copies.length,
        attempt: outside ? randomUUID() : '',
        key: kept.key,
        arguments: kept.arguments,
        outcome: kept.outcome,
        keep: IDEMPOTENCY_TTL,
      },
      { args: [...within.journal.flat(), ...given.set.flat(), ...copies.flat(), ...given.delete] },
    );
  }
}
