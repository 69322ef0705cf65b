import { findTaskOrSubtask, type Subtask, type Task } from './task.ts';

/*
 * Ids are given again: after a removal, a move, an import, or by a plan that replaces another. What was asked about a task while its
 * number meant another one must not be written into it, so each task and subtask has a uid from when it got its number. It is stored
 * beside its fields as `_uid`, and is a symbol in memory: no view, file or prompt has it.
 */

type Item = Task | Subtask;

const UID = Symbol('uid');
/** The field of a stored task or subtask that has its uid. */
export const STORED_UID = '_uid';

/** Told by its writer to be another one than whatever had its id. */
export const NEW_ITEM = { [UID]: '' } as const;

/** The uids of tasks and subtasks by their outside ids ("5", "5.2"), as a program has read them. */
export type SeenItems = Readonly<Record<string, string>>;

interface WithUid {
  [UID]?: string;
  [STORED_UID]?: unknown;
}

function uidOf(item: Item): string | undefined {
  return (item as Item & WithUid)[UID];
}

/** What a program has read of some tasks; one that was stored by a release without uids has none. */
export function seenTasks(tasks: readonly Task[]): SeenItems {
  return Object.fromEntries(tasks.flatMap((task) => Object.entries(seenItem(`${task.id}`, task))));
}

/** As `seenTasks`, and of their subtasks. */
export function seenTasksAndSubtasks(tasks: readonly Task[]): SeenItems {
  const parts = tasks.flatMap(({ id, subtasks }) =>
    subtasks.flatMap((subtask) => Object.entries(seenItem(`${id}.${subtask.id}`, subtask))),
  );
  return { ...seenTasks(tasks), ...Object.fromEntries(parts) };
}

/** Of the tasks and subtasks with these outside ids. */
export function seenItems(tasks: readonly Task[], ids: readonly string[]): SeenItems {
  const found = ids.map((id) => [id, findTaskOrSubtask(tasks, id)] as const);
  return Object.fromEntries(found.flatMap(([id, item]) => (item ? Object.entries(seenItem(id, item)) : [])));
}

export function seenItem(id: string, item: Item): SeenItems {
  const uid = uidOf(item);
  return uid === undefined ? {} : { [id]: uid };
}

/** False where another item has the id by now. */
export function isSeenItem(seen: SeenItems | undefined, id: string, item: Item): boolean {
  const was = seen?.[id];
  const is = was === undefined ? undefined : uidOf(item);
  return is === undefined || is === was;
}

/** Whether what was seen under an id is not there any more; `item` has the id by now. */
export function isGoneItem(seen: SeenItems | undefined, id: string, item: Item | undefined): boolean {
  return item === undefined ? seen?.[id] !== undefined : !isSeenItem(seen, id, item);
}

/** Whether the item was not there, under this id, when a program read the others of its list. */
export function isUnseenItem(seen: SeenItems | undefined, id: string, item: Item): boolean {
  const is = uidOf(item);
  return seen !== undefined && is !== undefined && seen[id] !== is;
}

/** Takes the uids of a stored task and of its subtasks out of its fields; of a record that no commit wrote, those that it has. */
export function readUids(task: Partial<Task>): void {
  readUid(task as WithUid);
  for (const subtask of task.subtasks ?? []) readUid(subtask as Item & WithUid);
}

function readUid(item: WithUid): void {
  const uid = item[STORED_UID];
  // Before there were uids, a file may have brought a field of this name.
  if (typeof uid !== 'string') return;
  // The last field goes without a price.
  delete item[STORED_UID];
  item[UID] = uid;
}

/** Whether a task is told to be another one than whatever had its id. */
export function isNewItem(task: Task): boolean {
  return uidOf(task) === '';
}

/**
 * The JSON of a task with the uids of it and of its subtasks; `text` is that without them, `before` what has its id so far. An item
 * keeps its uid while it keeps its number, and one that came without, as from a file, is the one before if it has its title. Every
 * other gets a uid of `stamp`, which is of one commit.
 */
export function textWithUids(task: Task, text: string, before: Task | undefined, stamp: string): string {
  const { id, subtasks } = task;
  const uid = uidToStore(`${id}`, task, before, stamp);
  if (subtasks.length === 0) return `${text.slice(0, -1)},"${STORED_UID}":"${uid}"}`;
  const byId = new Map(before?.subtasks.map((subtask) => [subtask.id, subtask]));
  const stored = subtasks.map((subtask) => ({
    ...subtask,
    [STORED_UID]: uidToStore(`${id}.${subtask.id}`, subtask, byId.get(subtask.id), stamp),
  }));
  return JSON.stringify({ ...task, subtasks: stored, [STORED_UID]: uid });
}

/** A uid is a stamp and the outside id, `id`: what was moved to another is no longer what was asked about. */
function uidToStore(id: string, item: Item, before: Item | undefined, stamp: string): string {
  const own = uidOf(item) ?? (before?.title === item.title ? uidOf(before) : undefined);
  return own?.slice(own.indexOf('.') + 1) === id ? own : `${stamp}.${id}`;
}
