import { z } from 'zod';
import { readDigits } from '../lenient.ts';

/**
 * A task's id is a positive integer, unique within its tag; a subtask's is one within its task and is written "5.2"
 * from outside. A dependency is what stands in claude-task-master's files: an integer or such a text.
 */
export const MAX_ID = 1_000_000_000;

export const taskNumber = z.preprocess(
  readDigits,
  z.int({ error: 'must be a positive integer' }).min(1, 'must be a positive integer').max(MAX_ID),
);

export type Dependency = number | string;

const DOTTED = /^[1-9]\d{0,9}\.[1-9]\d{0,9}$/;

/** `3`, `"3"`, `"#3"` and `"task 3"` mean task 3 (within subtasks: sibling 3); `"5.2"` means subtask 2 of task 5. */
export const dependency = z
  .preprocess(
    readDependency,
    z.union([z.int().min(1).max(MAX_ID), z.string().regex(DOTTED)], {
      error: 'must be the id of a task (5) or of a subtask ("5.2")',
    }),
  )
  .meta({ type: ['integer', 'string'] });

function readDependency(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const named = /^\s*(?:#|task[\s_-]?)?(\d{1,10})\s*$/i.exec(value);
  return named ? Number(named[1]) : value.trim();
}

/** Whether `dependency` takes a value; a tenth of the cost of asking it. */
export function isDependency(value: unknown): boolean {
  const read = readDependency(value);
  if (typeof read === 'string') return DOTTED.test(read);
  return Number.isInteger(read) && Number(read) >= 1 && Number(read) <= MAX_ID;
}

/** A place in a tag: a task, or a subtask of it. */
export interface TaskRef {
  readonly task: number;
  readonly subtask?: number;
}

/** Reads "3" or "3.2"; undefined for anything else. */
export function parseTaskRef(text: string): TaskRef | undefined {
  const [, task, subtask] = /^\s*([1-9]\d{0,9})(?:\.([1-9]\d{0,9}))?\s*$/.exec(text) ?? [];
  if (task === undefined) return undefined;
  return subtask === undefined ? { task: Number(task) } : { task: Number(task), subtask: Number(subtask) };
}

export function formatTaskRef(ref: TaskRef): string {
  return ref.subtask === undefined ? String(ref.task) : `${ref.task}.${ref.subtask}`;
}
