import type { Task } from '../model/task.ts';
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
}

interface SubtaskHead {
  readonly id: number;
  readonly status: Status;
  readonly priority?: Priority;
  readonly dependencies: readonly Dependency[];
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

/**
 * A stand-in for a task, or for one of its subtasks. Its id is known; `head` is what the index knows of it, or undefined
 * while that is not read either.
 */
export function unreadTask(id: number, head: TaskHead | undefined, needText: Need, needHead: Need): Task {
  const text = new UnreadText(needText);
  if (head === undefined)
    return new Proxy({ ...NO_HEAD, id }, new UnreadHead(needText, needHead)) as unknown as Task;
  const known: object = { ...head, subtasks: head.subtasks.map((subtask) => new Proxy(subtask, text)) };
  Object.defineProperty(known, LENGTH, { value: head.length });
  return new Proxy(known, text) as Task;
}

const NO_HEAD = { status: 'pending', priority: 'medium', dependencies: [], subtasks: [] };
const HEAD: ReadonlySet<string | symbol> = new Set([...Object.keys(NO_HEAD), LENGTH]);

/** Knows the properties that its target has. */
class UnreadText implements ProxyHandler<object> {
  protected readonly needText: Need;

  constructor(needText: Need) {
    this.needText = needText;
  }

  get(target: object, key: string | symbol): unknown {
    const known = (target as Record<string | symbol, unknown>)[key];
    if (known !== undefined) return known;
    if (key === UNREAD) return true;
    // A subtask without a priority has none.
    if (key === 'priority') return undefined;
    this.needText();
    return typeof key === 'symbol' ? undefined : '';
  }

  has(target: object, key: string | symbol): boolean {
    this.needText();
    return key in target;
  }

  ownKeys(target: object): (string | symbol)[] {
    this.needText();
    return Reflect.ownKeys(target);
  }
}

/** Knows its id. */
class UnreadHead extends UnreadText {
  private readonly needHead: Need;

  constructor(needText: Need, needHead: Need) {
    super(needText);
    this.needHead = needHead;
  }

  override get(target: object, key: string | symbol): unknown {
    if (!HEAD.has(key)) return super.get(target, key);
    this.needHead();
    return key === LENGTH ? 0 : Reflect.get(target, key);
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
