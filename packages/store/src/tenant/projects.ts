import { BatonError } from '@baton/protocol';
import { formatCursor, parseCursor } from '../cursors/cursor.ts';
import type { Page } from '../records/page.ts';
import type { Identity } from '../identity/identity.ts';
import type { TenantContext } from './tenant-context.ts';
import { runScript } from '../scripts/script.ts';
import { COMMIT, COMMIT_IN_TASK } from '../scripts/registry.ts';

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
    const all = await connection.command((client) => client.hgetall(keys.project(name)));
    const { [VERSION_FIELD]: version, ...fields } = all;
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

  /**
   * Applies a change that was computed from `before`, outside any task. Returns false when the project has another version
   * by now: read it again and compute the change anew.
   */
  async commit(name: string, before: ProjectVersion | undefined, change: ProjectChange): Promise<boolean> {
    const reply = await this.runCommit(name, before, change, NO_TASK);
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
        task: within.task === '' ? project : within.task,
        project,
        projects: keys.projects,
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
