import { BatonError } from '@baton/protocol';
import type { TenantContext } from './tenant-context.ts';
import { run } from '../scripts/script.ts';
import { COMMIT, COMMIT_IN_TASK } from '../scripts/registry.ts';

/** A project as stored: its version, and one field per entity (see the operations' project record). */
export interface StoredProject {
  readonly version: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** What a change was computed from: all that a commit needs to know of it. */
export type ProjectVersion = Pick<StoredProject, 'version'>;

/** What a command changes: fields to write, fields to take out. */
export interface ProjectChange {
  readonly set: readonly (readonly [field: string, value: string])[];
  readonly delete: readonly string[];
}

/** The version stands beside the entities in the same hash; no entity may have its name. */
const VERSION_FIELD = 'v';

/** The task whose segment commits, what it has done before and where the outcome is recorded. */
export interface TaskCommit {
  readonly task: string;
  readonly fence: string;
  readonly path: string;
  readonly entry: string;
  readonly journal: readonly (readonly [path: string, entry: string])[];
}

const NO_TASK: TaskCommit = { task: '', fence: '', path: '', entry: '', journal: [] };

/** A tenant's projects. */
export class Projects {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /** The project, or undefined where none has this name. */
  async read(name: string): Promise<StoredProject | undefined> {
    const { connection, keys } = this.context;
    const all = await connection.command((client) => client.hgetall(keys.project(name)));
    const { [VERSION_FIELD]: version, ...fields } = all;
    return version === undefined ? undefined : { version, fields: new Map(Object.entries(fields)) };
  }

  /** The names of all projects. */
  async names(): Promise<string[]> {
    const { connection, keys } = this.context;
    return connection.command((client) => client.zrange(keys.projects, '0', '-1'));
  }

  /**
   * Applies a change computed from `before`, outside any task. Returns false when the project has moved on since;
   * read it again and compute the change anew.
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
    return run(
      connection,
      // What a task has done is acknowledged by READ, when someone hears of it.
      within.task === '' ? COMMIT : COMMIT_IN_TASK,
      {
        task: within.task === '' ? project : within.task,
        project,
        projects: keys.projects,
        listeners: keys.listeners,
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
