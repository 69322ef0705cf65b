import { z } from 'zod';
import { newTask } from './new-task.ts';

/** A subtask as an LLM gives it: as lenient as a task, and its id no more than a name within its answer. */
export const newSubtask = z.object({
  id: newTask.shape.id.describe('A number for this subtask, unique in this answer'),
  title: newTask.shape.title,
  description: newTask.shape.description,
  details: newTask.shape.details,
  testStrategy: newTask.shape.testStrategy,
  dependencies: newTask.shape.dependencies.describe(
    'Numbers of the subtasks of the same task that must be done before this one',
  ),
  status: newTask.shape.status,
});
export type NewSubtask = z.infer<typeof newSubtask>;
