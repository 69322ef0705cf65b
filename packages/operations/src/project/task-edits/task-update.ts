import { z } from 'zod';
import { nullAsAbsent } from '../../schema/coercion.ts';
import { generatedTaskSchema } from '../model/generated-task.ts';
import type { Dependency } from '../model/task-id.ts';

/** What may change of a task or subtask; a field that is left out stays as it is. */
const changes = {
  title: nullAsAbsent(generatedTaskSchema.shape.title),
  description: nullAsAbsent(generatedTaskSchema.shape.description),
  details: generatedTaskSchema.shape.details,
  testStrategy: generatedTaskSchema.shape.testStrategy,
  dependencies: generatedTaskSchema.shape.dependencies,
};

/** See `RequestedStatuses`. */
const statusQuote = nullAsAbsent(z.string().max(2_000)).describe(
  'Beside status: the words of the request that ask for it, exactly as they stand there',
);

const MAX_UPDATED_SUBTASKS = 200;

const subtaskUpdateSchema = z.object({
  id: generatedTaskSchema.shape.id.describe(
    'The number of the subtask; a number that none has makes a new one',
  ),
  ...changes,
  dependencies: changes.dependencies.describe('Numbers of subtasks of the same task'),
  status: generatedTaskSchema.shape.status.describe('Only where the request asks for another status'),
  statusQuote,
});
/** `isNew` is what the program makes of it, whatever its number: see `markNewSubtasks`. */
export type SubtaskUpdate = z.infer<typeof subtaskUpdateSchema> &
  WithShownDependencies & { readonly isNew?: boolean };

/** What the program adds to the dependencies of an answer: see `rebaseDependencies`. */
interface WithShownDependencies {
  readonly dependenciesShown?: readonly Dependency[] | undefined;
}

/** A task as an LLM changes it. Its id says which; it never becomes another. */
export const taskUpdateSchema = z.object({
  id: generatedTaskSchema.shape.id.describe('The id of the task, as it was given'),
  ...changes,
  priority: generatedTaskSchema.shape.priority,
  status: generatedTaskSchema.shape.status.describe('Only where the request asks for another status'),
  statusQuote,
  subtasks: nullAsAbsent(z.array(subtaskUpdateSchema).max(MAX_UPDATED_SUBTASKS)).describe(
    'Only subtasks that change, and new ones',
  ),
});
export type ProjectTaskUpdate = Omit<z.infer<typeof taskUpdateSchema>, 'subtasks'> &
  WithShownDependencies & {
    readonly subtasks?: readonly SubtaskUpdate[] | undefined;
  };
