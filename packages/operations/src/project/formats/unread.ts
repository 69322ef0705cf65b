import type { Task } from '../model/task.ts';
import { indexField, taskField } from './field-names.ts';
import type { Priority, Status } from '../model/status-and-priority.ts';
import type { Dependency } from '../model/task-id.ts';

/**
 * Stand-ins for what was not read of a stored project. Whoever looks at one is told nothing, and what he looked at is noted:
 * what he computed is void, and is computed again once that is read (see `ProjectFields`).
 */

/** A task as far as the index knows it. */
export interface TaskHead {
  readonly id: number;
  readonly length: number;
  readonly status: Status;
  readonly priority: Priority;
  readonly dependencies: readonly Dependency[];
  readonly subtasks: readonly SubtaskHead[];
  readonly startedAt: string | undefined;
}

interface SubtaskHead {
  /** The id of its task. */
  readonly parent: number;
  readonly id: number;
  readonly status: Status;
  readonly priority?: Priority;
  readonly dependencies: readonly Dependency[];
  readonly startedAt: string | undefined;
}

const LENGTH = Symbol('the length of the JSON of a task as it is stored');
const UNREAD = Symbol('not read');

/** Notes that a field is needed. */
type Need = () => void;

/** A stand-in for a value of which nothing is known; it looks like `empty`. */
export function unread<T extends object>(empty: T, need: Need): T {
  const noted = <Args extends unknown[], R>(read: (...args: Args) => R) => {
    return (...args: Args): R => {
      need();
      return read(...args);
    };
  };
  return new Proxy(empty, {
    get: (target, key) => {
      if (key === UNREAD) return true;
      need();
      return Reflect.get(target, key) as unknown;
    },
    has: noted(Reflect.has),
    ownKeys: noted(Reflect.ownKeys),
    getOwnPropertyDescriptor: noted(Reflect.getOwnPropertyDescriptor),
  });
}

/** Thrown to end a computation that is void, and that would look at thousands of stand-ins. */
class VoidComputation extends Error {}

/** Who looks at more fields of the index than these looks at all of them. */
const FEW_INDEX_FIELDS = 4;

/**
 * Makes the stand-ins for the tasks of one tag: some objects a tag and two a task, since there may be thousands of them.
 * `missing` is where the names of fields are noted that are looked at; `ids` are those of the tag's
 * tasks.
 */
export class UnreadTasks {
  private readonly known: ProxyHandler<TaskHead>;
  private readonly unknown: ProxyHandler<UnknownHead>;
  private readonly parts: ProxyHandler<SubtaskHead>;

  constructor(tag: string, missing: Set<string>, ids: readonly number[], isRead: (field: string) => boolean) {
    const needText = (id: number) => void missing.add(taskField(tag, id));
    const needHead = (id: number) => {
      const field = indexField(tag, id);
      if (isRead(field)) throw new Error(`the project's field '${field}' lacks task ${id}`);
      missing.add(field);
      if (missing.size <= FEW_INDEX_FIELDS || countIndexFields(missing) <= FEW_INDEX_FIELDS) return;
      for (const field of new Set(ids.map((other) => indexField(tag, other))))
        if (!isRead(field)) missing.add(field);
      throw new VoidComputation('the index was not read');
    };
    this.known = new UnreadText<TaskHead>(({ id }) => needText(id));
    this.unknown = new UnreadHead(
      ({ id }) => needText(id),
      ({ id }) => needHead(id),
    );
    this.parts = new UnreadText<SubtaskHead>(({ parent }) => needText(parent));
  }

  /** For a task that the index knows. */
  withHead(head: TaskHead): Task {
    const subtasks = head.subtasks.map((subtask) => new Proxy(subtask, this.parts));
    return new Proxy({ ...head, subtasks }, this.known) as unknown as Task;
  }

  /** For a task of which only the id is known. */
  withId(id: number): Task {
    return new Proxy({ id }, this.unknown) as unknown as Task;
  }
}

function countIndexFields(fields: ReadonlySet<string>): number {
  let count = 0;
  for (const field of fields) if (field.startsWith('index:')) count++;
  return count;
}

interface UnknownHead {
  readonly id: number;
}

/** Knows the properties that its target has. */
class UnreadText<Head extends object> implements ProxyHandler<Head> {
  private readonly needText: (head: Head) => void;

  constructor(needText: (head: Head) => void) {
    this.needText = needText;
  }

  get(target: Head, key: string | symbol): unknown {
    const known = (target as Record<string | symbol, unknown>)[key];
    if (known !== undefined) return known;
    if (key === LENGTH || key === 'length') return (target as Partial<TaskHead>).length;
    if (key === UNREAD) return true;
    // What the index does not have of these, the item does not have.
    if (key === 'priority' || key === 'startedAt') return undefined;
    this.needText(target);
    return typeof key === 'symbol' ? undefined : '';
  }

  has(target: Head, key: string | symbol): boolean {
    this.needText(target);
    return key in target;
  }

  ownKeys(target: Head): (string | symbol)[] {
    this.needText(target);
    return Reflect.ownKeys(target);
  }
}

const NO_HEAD: ReadonlyMap<string | symbol, unknown> = new Map<string | symbol, unknown>([
  ['status', 'pending'],
  ['priority', 'medium'],
  ['dependencies', []],
  ['subtasks', []],
  [LENGTH, 0],
]);

/** Knows its id. */
class UnreadHead extends UnreadText<UnknownHead> {
  private readonly needHead: (head: UnknownHead) => void;

  constructor(needText: (head: UnknownHead) => void, needHead: (head: UnknownHead) => void) {
    super(needText);
    this.needHead = needHead;
  }

  override get(target: UnknownHead, key: string | symbol): unknown {
    const nothing = NO_HEAD.get(key);
    if (nothing === undefined) return super.get(target, key);
    this.needHead(target);
    return nothing;
  }
}

/** Notes every stand-in that is a part of a result, so that none leaves the computation unnoticed. */
export function needWhole(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Map || ArrayBuffer.isView(value))
    return;
  // To ask a stand-in for its properties notes it.
  for (const inner of Object.values(value)) needWhole(inner);
}

/** True for a stand-in. */
export function isUnread(value: object): boolean {
  return (value as { readonly [UNREAD]?: true })[UNREAD] === true;
}

/** Notes the length of a stored task's JSON with it. Copies of the task do not have it. */
export function withStoredLength(task: Task, length: number): Task {
  return Object.defineProperty(task as object, LENGTH, { value: length }) as Task;
}

/** The length of a task's JSON; a task that is not stored as it is here is written down for it. */
export function storedLength(task: Task): number {
  return (task as { readonly [LENGTH]?: number })[LENGTH] ?? JSON.stringify(task).length;
}

/** The same as far as it is known without a look: undefined where it is not. */
export function expectedLength(task: Task): number | undefined {
  return (task as { readonly length?: number }).length;
}
