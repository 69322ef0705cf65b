import { z } from 'zod';
import { nullAsAbsent } from '../../schema/coercion.ts';
import { newTask } from './new-task.ts';

/** What may change of a task or subtask; a field that is left out stays as it is. */
const changes = {
  title: nullAsAbsent(newTask.shape.title),
  description: nullAsAbsent(newTask.shape.description),
  details: newTask.shape.details,
  testStrategy: newTask.shape.testStrategy,
  dependencies: newTask.shape.dependencies,
};

export const MAX_UPDATED_SUBTASKS = 200;

export const subtaskUpdate = z.object({
  id: newTask.shape.id.describe('The number of the subtask; a number that none has makes a new one'),
  ...changes,
  dependencies: changes.dependencies.describe('Numbers of subtasks of the same task'),
  status: newTask.shape.status,
});
export type SubtaskUpdate = z.infer<typeof subtaskUpdate>;

/** A task as an LLM changes it. Its id says which; it never becomes another. */
export const taskUpdate = z.object({
  id: newTask.shape.id.describe('The id of the task, as it was given'),
  ...changes,
  priority: newTask.shape.priority,
  status: newTask.shape.status.describe('Only where the request asks for another status'),
  subtasks: nullAsAbsent(z.array(subtaskUpdate).max(MAX_UPDATED_SUBTASKS)).describe(
    'Only subtasks that change, and new ones',
  ),
});
export type TaskUpdate = z.infer<typeof taskUpdate>;
