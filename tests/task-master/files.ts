import { readFileSync } from 'node:fs';
import type { Arguments } from './argument-differences.ts';

/** Facts of claude-task-master's files, as infra/scripts/task-master-definitions.mjs writes them. */
interface FileFacts {
  /** What its LLMs are asked for: a task, a subtask, an entry of the complexity report. */
  readonly answers: Readonly<Record<'task' | 'subtask' | 'analysis', Arguments>>;
  /** Its types of what is stored; an `enum` where a type is a list of words. */
  readonly types: Readonly<
    Record<'Task' | 'Subtask' | 'ComplexityAnalysis' | 'ComplexityReportMetadata', Arguments>
  > &
    Readonly<Record<'TaskStatus' | 'TaskPriority', { readonly enum: readonly string[] }>>;
}

export const TASK_MASTER_FILES = JSON.parse(
  readFileSync('tests/fixtures/task-master/files.json', 'utf8'),
) as FileFacts;

/** A JSON Schema of its tasks.json: the fields of its answers, the words of its types, and tags around them. */
export function tasksFileSchema(): object {
  const { answers, types } = TASK_MASTER_FILES;
  const words = { status: types.TaskStatus.enum, priority: [...types.TaskPriority.enum, null] };
  const item = (facts: Arguments) => ({
    type: 'object',
    required: Object.keys(facts).filter((field) => facts[field]?.required),
    properties: Object.fromEntries(
      Object.entries(facts).map(([field, { type, items }]) => [
        field,
        field in words
          ? { enum: words[field as keyof typeof words] }
          : { type, ...(items ? { items: { type: ['integer', 'string'] } } : {}) },
      ]),
    ),
  });
  const subtasks = { type: 'array', items: item(answers.subtask) };
  const task = item(answers.task);
  const tasks = { type: 'array', items: { ...task, properties: { ...task.properties, subtasks } } };
  const tag = { type: 'object', required: ['tasks'], properties: { tasks, metadata: { type: 'object' } } };
  return { type: 'object', minProperties: 1, additionalProperties: tag };
}
