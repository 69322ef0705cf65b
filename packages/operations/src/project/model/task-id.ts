import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { parseDigits } from '../../schema/coercion.ts';

/**
 * A task's id is a positive integer, unique within its tag; a subtask's is one within its task and is written "5.2"
 * from outside. A dependency is what stands in claude-task-master's files: an integer or such a text.
 */
export const MAX_ID = 1_000_000_000;

export const taskNumberSchema = z.preprocess(
  parseDigits,
  z.int({ error: 'must be a positive integer' }).min(1, 'must be a positive integer').max(MAX_ID),
);

export type Dependency = number | string;

const DOTTED = /^[1-9]\d{0,9}\.[1-9]\d{0,9}$/;

/**
 * `3`, `"3"`, `"#3"` and `"task 3"` mean task 3 (within subtasks: sibling 3); `"5.2"` means subtask 2 of task 5.
 * One step rather than a union: an answer may hold 100,000 of them, and a union takes four times as long.
 */
export const dependencySchema = z
  .unknown()
  .transform((value, context): Dependency => {
    const read = readDependency(value);
    if (isDependency(read)) return read;
    context.addIssue('must be the id of a task (5) or of a subtask ("5.2")');
    return z.NEVER;
  })
  .meta({
    type: ['integer', 'string'],
    anyOf: [
      { type: 'integer', minimum: 1, maximum: MAX_ID },
      { type: 'string', pattern: DOTTED.source },
    ],
  });

function readDependency(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const named = /^\s*(?:#|task[\s_-]?)?(\d{1,10})\s*$/i.exec(value);
  return named ? Number(named[1]) : value.trim();
}

function isDependency(value: unknown): value is Dependency {
  if (typeof value === 'string') return DOTTED.test(value);
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_ID;
}

/** Whether `dependency` takes a value. */
export function isReadableDependency(value: unknown): boolean {
  return isDependency(readDependency(value));
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

/** @throws BatonError `invalid_arguments`, naming the part that is no id, and the argument that holds it. */
export function parseTaskRefs(ids: string, field = 'id'): TaskRef[] {
  const parts = ids.split(',').filter((part) => part.trim() !== '');
  if (parts.length === 0) throw invalidIdError(ids, field);
  return parts.map((part) => {
    const ref = parseTaskRef(part);
    if (ref === undefined) throw invalidIdError(part, field);
    return ref;
  });
}

function invalidIdError(text: string, field: string): BatonError {
  return new BatonError(
    'invalid_arguments',
    `${field}: '${text.trim().slice(0, 40)}' is not the id of a task ("5") or of a subtask ("5.2").`,
    { field },
  );
}

/** A dependency of a subtask of task `parent`: "5.2" within task 5 is its subtask 2; anything else stays as it is. */
export function dependencyRelativeToParent(dependency: Dependency, parent: number): Dependency {
  const ref = typeof dependency === 'string' ? parseTaskRef(dependency) : undefined;
  return ref?.subtask !== undefined && ref.task === parent ? ref.subtask : dependency;
}
