import { truncate } from '@baton/protocol';
import type { z } from 'zod';
import { type Subtask, type Task, TASK_LIMITS } from '../model/task.ts';
import { STORED_UID } from '../model/item-uid.ts';
import type { AssignedId } from './file-ids.ts';
import { type FileRepair, shownValue } from './file-repair.ts';
import { keepValue, metadataOf, noteMetadata } from './kept-values.ts';

/** The fields that are held against what was written; ids are read before. */
const FIELDS = [
  'title',
  'description',
  'status',
  'priority',
  'dependencies',
  'details',
  'testStrategy',
  'subtasks',
] as const;

/** An item of a file as it is written, and where. */
export interface FileItem {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly place: string;
}

/** Says which items of one list have another id than the written one. */
export function noteChangedIds(
  items: readonly FileItem[],
  assigned: readonly AssignedId[],
  repairs: FileRepair[],
): void {
  for (const [at, { raw, place }] of items.entries()) {
    const { id, why } = assigned[at] as AssignedId;
    if (raw['id'] === id) continue;
    const reason = {
      unreadable: ', which is no id',
      repeated: ', like the one of another before it',
      none: '',
    };
    const problem = `is ${shownValue(raw['id'])}${reason[why ?? 'none']}; it is ${id} now`;
    repairs.push({ place: `${place}.id`, problem });
  }
}

/**
 * A task or subtask by its schema. A value that does not fit is kept under `metadata`, and what stands in its place is as if
 * it had been left out; each field that is not as it was written is a repair. `dependencies`: those of the item, by ids.
 */
export function repairItem<T extends Task | Subtask>(
  schema: z.ZodType<T>,
  { raw, place }: FileItem,
  id: number,
  dependencies: unknown,
  repairs: FileRepair[],
): T {
  const item: Record<string, unknown> = {
    ...raw,
    id,
    ...(dependencies === undefined ? {} : { dependencies }),
  };
  const metadata = metadataOf(raw);
  let hasKept = false;
  /** What was wrong with each field that was taken out, in part or whole. */
  const repaired = new Map<string, string>();
  if (Object.hasOwn(item, STORED_UID)) {
    const kept = keepValue(metadata, STORED_UID, item[STORED_UID]);
    repaired.set(
      STORED_UID,
      `has the name of a field of Baton's own; ${shownValue(item[STORED_UID])} is under ${kept}`,
    );
    delete item[STORED_UID];
    hasKept = true;
  }
  // What does not fit is taken out until the rest fits, each field once.
  for (;;) {
    const read = schema.safeParse(item);
    if (read.success) {
      const whole = { ...read.data, ...(hasKept ? { metadata } : {}) };
      if (hasKept) noteMetadata(raw, place, repairs);
      const now: Readonly<Record<string, unknown>> = whole;
      for (const [field, problem] of repaired)
        repairs.push({ place: `${place}.${field}`, problem: `${problem}; ${shownNow(now[field])}` });
      for (const field of FIELDS) {
        const given = raw[field];
        if (given === undefined || repaired.has(field)) continue;
        // The items of a list have repairs of their own.
        if (field === 'subtasks' && Array.isArray(given)) continue;
        if (shownWhole(given) === shownWhole(now[field])) continue;
        const problem = `is ${shownValue(given)}; ${shownNow(now[field])}`;
        repairs.push({ place: `${place}.${field}`, problem });
      }
      return whole;
    }
    const wrong = read.error.issues.filter(({ path }) => !repaired.has(String(path[0])));
    if (wrong.length === 0) throw new Error(`${place} cannot be repaired: ${read.error.message}`);
    for (const { path, message } of wrong) {
      const field = String(path[0]);
      if (repaired.has(field)) continue;
      const elements = read.error.issues.filter((issue) => issue.path[0] === field && issue.path.length > 1);
      const unplaced = takeOut(item, field, new Set(elements.map((issue) => Number(issue.path[1]))));
      let problem = message;
      if (unplaced !== undefined) {
        problem += `; ${shownValue(unplaced)} is under ${keepValue(metadata, field, unplaced)}`;
        hasKept = true;
      }
      repaired.set(field, problem);
    }
  }
}

const shownNow = (value: unknown) =>
  value === undefined ? 'it is left out' : `it is ${shownValue(value)} now`;
const shownWhole = (value: unknown) => JSON.stringify(value);

/** Takes a field's value, or those elements of a list that do not fit, out of an item; undefined where nothing is lost. */
function takeOut(item: Record<string, unknown>, field: string, elements: ReadonlySet<number>): unknown {
  const value = item[field];
  if (Array.isArray(value) && elements.size > 0) {
    item[field] = value.filter((_, index) => !elements.has(index));
    return value.filter((_, index) => elements.has(index));
  }
  delete item[field];
  if (field === 'title') {
    const isLong = typeof value === 'string' && value !== '';
    const { id } = item;
    const named = typeof id === 'number' || typeof id === 'string' ? `Task ${id}` : 'Task';
    item['title'] = isLong ? truncate(value, TASK_LIMITS.titleLength) : named;
  }
  return value === null || value === '' ? undefined : value;
}
