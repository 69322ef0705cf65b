import { BatonError } from '@baton/protocol';
import { refusalError } from '../records/refusal-error.ts';
import { formatCursor, parseCursor } from '../cursors/cursor.ts';
import type { Page } from '../records/page.ts';
import type { Identity } from '../identity/identity.ts';
import type { TenantContext } from './tenant-context.ts';
import { runScript } from '../scripts/script.ts';
import { COMMIT, COMMIT_IN_TASK, DELETE_PROJECT, NOTE_PROJECT_USE } from '../scripts/registry.ts';

/** A stored project: its version, and one field per entity (see the project record in packages/operations). */
export interface StoredProject {
  readonly version: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** The version from which a change was computed. */
export type ProjectVersion = Pick<StoredProject, 'version'>;

/** The fields that a command writes and deletes. */
export interface ProjectChange {
  readonly set: readonly (readonly [field: string, value: string])[];
  readonly delete: readonly string[];
}

/** The version's field in the project's hash; no entity may have this name. */
const VERSION_FIELD = 'v';

/** The task that commits, its fence, and the journal entries that the commit writes. */
export interface TaskCommit {
  readonly task: string;
  readonly fence: string;
  readonly path: string;
  readonly entry: string;
  readonly journal: readonly (readonly [path: string, entry: string])[];
}

const NO_TASK: TaskCommit = { task: '', fence: '', path: '', entry: '', journal: [] };

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
export class Projects {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /** The project, or undefined when none has this name. */
  async read(name: string): Promise<StoredProject | undefined> {
    const { connection, keys } = this.context;
    const [all, use] = await connection.command((client) =>
      Promise.all([client.hgetall(keys.project(name)), client.hget(keys.projectUse, name)]),
    );
    const { [VERSION_FIELD]: version, ...fields } = all;
    if (version !== undefined && Date.now() - parseUse(use).usedAt > USE_NOTED_EVERY_MS)
      await this.noteUse(name);
    return version === undefined ? undefined : { version, fields: new Map(Object.entries(fields)) };
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
   * Deletes a project with all that it holds. What a running task then commits to it finds none. Errors: `project_not_found`.
   */
  async delete(name: string): Promise<void> {
    const { connection, keys } = this.context;
    const { record: tenant, projects, projectUse, activeChangeChannel } = keys;
    const [code] = await runScript(
      connection,
      DELETE_PROJECT,
      { tenant, project: keys.project(name), projects, projectUse, activeChangeChannel },
      { name },
    );
    if (code === 'deleted') return;
    throw new BatonError(
      'project_not_found',
      `There is no project '${name}'. See which there are in baton://projects.`,
      { projectRoot: name },
    );
  }

  private async noteUse(name: string): Promise<void> {
    const { connection, keys } = this.context;
    const { projectUse } = keys;
    await runScript(connection, NOTE_PROJECT_USE, { projectUse, project: keys.project(name) }, { name });
  }

  /**
   * Applies a change that was computed from `before`, outside any task. Returns false when the project has another version
   * by now: read it again and compute the change anew. Errors: `limit_storage`.
   */
  async commit(name: string, before: ProjectVersion | undefined, change: ProjectChange): Promise<boolean> {
    const reply = await this.runCommit(name, before, change, NO_TASK);
    if (reply[0] === 'limit_storage') throw refusalError(reply);
    return reply[0] === 'committed';
  }

  /** COMMIT, within a task's segment or outside; see the script's header for the reply. */
  async runCommit(
    name: string,
    before: ProjectVersion | undefined,
    change: ProjectChange,
    within: TaskCommit,
  ): Promise<unknown[]> {
    const { connection, keys } = this.context;
    if (change.set.some(([field]) => field === VERSION_FIELD)) {
      throw new BatonError('internal', `A project field may not be called '${VERSION_FIELD}'.`);
    }
    const project = keys.project(name);
    return runScript(
      connection,
      // A task's commit is acknowledged by READ_TASK_AND_REGISTER_WAITER, with which clients learn of it.
      within.task === '' ? COMMIT : COMMIT_IN_TASK,
      {
        tenant: keys.record,
        task: within.task === '' ? project : within.task,
        project,
        projects: keys.projects,
        projectUse: keys.projectUse,
        activeChangeChannel: keys.activeChangeChannel,
      },
      {
        fence: within.fence,
        path: within.path,
        entry: within.entry,
        version: before?.version ?? '0',
        name,
        journal: within.journal.length,
        sets: change.set.length,
      },
      { args: [...within.journal.flat(), ...change.set.flat(), ...change.delete] },
    );
  }
}
