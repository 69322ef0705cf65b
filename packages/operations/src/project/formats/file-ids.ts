import { isRecord } from '@baton/protocol';
import { type Dependency, MAX_ID, taskNumberSchema } from '../model/task-id.ts';
import { TASK_LIMITS } from '../model/task.ts';

type Raw = Readonly<Record<string, unknown>>;

/** The id that an item of a file gets. */
export interface AssignedId {
  readonly id: number;
  /** Why it is not the one that is written; absent where the written one can be read as it. */
  readonly why?: 'unreadable' | 'repeated';
}

/**
 * The ids of items of one list, in their order: as they are written where that is an id, "5.2" of task 5 being 2; the next
 * free one for an item without an id, or with that of one before it.
 */
function assignIds(items: readonly Raw[], parent?: number): AssignedId[] {
  const written = items.map(({ id }) => readId(id, parent));
  const reserved = new Set(written.filter((id) => id !== undefined));
  const taken = new Set<number>();
  const highest = written.reduce<number>((most, id = 0) => Math.max(most, id), 0);
  // Where there are not so many above the highest, those between are given.
  let free = highest + items.length > MAX_ID ? 0 : highest;
  const nextFree = () => {
    do free++;
    while (reserved.has(free));
    return free;
  };
  return written.map((read) => {
    const isOwn = read !== undefined && !taken.has(read);
    const id = isOwn ? read : nextFree();
    taken.add(id);
    return isOwn ? { id } : { id, why: read === undefined ? 'unreadable' : 'repeated' };
  });
}

function readId(given: unknown, parent: number | undefined): number | undefined {
  // Most of thousands are written so, and a schema takes many times as long.
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= MAX_ID) return given;
  const [, task, own] = typeof given === 'string' ? (/^\s*(\d+)\.(\d+)\s*$/.exec(given) ?? []) : [];
  const id = taskNumberSchema.safeParse(Number(task) === parent ? own : given);
  return id.success ? id.data : undefined;
}

/** The subtasks of a task whose list is taken, without what is no object. */
export function rawSubtasks({ subtasks }: Raw): readonly Raw[] | undefined {
  if (!Array.isArray(subtasks) || subtasks.length > TASK_LIMITS.subtasksPerTask) return undefined;
  return subtasks.filter(isRecord);
}

/**
 * The ids of a tag's tasks and subtasks, and what the ids that are none ("T-7", a UUID) name. Of two items with the same
 * such id it is the first one; of subtasks of two tasks, none, but for their siblings.
 */
export class FileIds {
  readonly tasks: readonly AssignedId[];
  readonly subtasks: readonly (readonly AssignedId[])[];
  private readonly tasksByText: Map<string, number>;
  private readonly subtasksByText: Map<string, string | undefined>;
  private readonly siblingsByText: Map<number, Map<string, number>>;
  private readonly subtaskIds: Set<string>;
  /** The outside ids of subtasks that are written as they are. */
  private readonly known: Set<string>;

  /** `items`: the tasks of the file that are objects. */
  constructor(items: readonly Raw[]) {
    this.tasksByText = new Map();
    this.subtasksByText = new Map();
    this.siblingsByText = new Map();
    this.subtaskIds = new Set();
    this.known = new Set();
    this.tasks = assignIds(items);
    this.subtasks = items.map((item, at) => assignIds(rawSubtasks(item) ?? [], this.tasks[at]?.id));
    const isUnreadable = ({ why }: AssignedId) => why === 'unreadable';
    if (!this.tasks.some(isUnreadable) && !this.subtasks.some((ids) => ids.some(isUnreadable))) return;
    for (const [at, item] of items.entries())
      this.addTask(item, this.tasks[at] as AssignedId, this.subtasks[at] as readonly AssignedId[]);
  }

  /**
   * The dependency that a value of a file means by the id that its task had there; undefined where it is a dependency as it
   * stands, or none. `parent` is the task of a subtask that depends.
   */
  dependencyOf(value: unknown, parent?: number): Dependency | undefined {
    const text = idText(value);
    if (text === undefined) return undefined;
    const siblings = parent === undefined ? undefined : this.siblingsByText.get(parent);
    const sibling = siblings?.get(text);
    if (sibling !== undefined) return sibling;
    if (this.known.has(text)) return undefined;
    const task = this.tasksByText.get(text);
    // A number would name the sibling: nothing that a subtask may say names the task then.
    if (task !== undefined && parent !== undefined && this.isSubtask(parent, task)) return undefined;
    return task ?? this.subtasksByText.get(text);
  }

  private addTask(item: Raw, { id, why }: AssignedId, assigned: readonly AssignedId[]): void {
    const text = why === 'unreadable' ? idText(item['id']) : undefined;
    if (text !== undefined && !this.tasksByText.has(text)) this.tasksByText.set(text, id);
    const raws = rawSubtasks(item) ?? [];
    const siblings = new Map<string, number>();
    for (const [at, own] of assigned.entries()) {
      const outside = `${id}.${own.id}`;
      const ownText = idText(raws[at]?.['id']);
      this.subtaskIds.add(outside);
      if (why === undefined && own.why === undefined) this.known.add(outside);
      if (ownText === undefined) continue;
      if (text !== undefined) this.addSubtask(`${text}.${ownText}`, outside);
      if (own.why !== 'unreadable' || siblings.has(ownText)) continue;
      siblings.set(ownText, own.id);
      this.addSubtask(ownText, outside);
    }
    if (siblings.size > 0) this.siblingsByText.set(id, siblings);
  }

  private isSubtask(parent: number, id: number): boolean {
    return this.subtaskIds.has(`${parent}.${id}`);
  }

  private addSubtask(text: string, outside: string): void {
    this.subtasksByText.set(text, this.subtasksByText.has(text) ? undefined : outside);
  }
}

/** An id as its dependents write it; undefined for what is no text and no number. */
function idText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.trim() || undefined : undefined;
}
