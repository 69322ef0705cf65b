import { z } from 'zod';
import { generatedTaskSchema, plannedTaskSchema } from './generated-task.ts';

/** A subtask as an LLM gives it: as lenient as a task, and its id no more than a name within its answer. */
const generatedSubtaskSchema = z.object({
  id: generatedTaskSchema.shape.id.describe('A number for this subtask, unique in this answer'),
  title: generatedTaskSchema.shape.title,
  description: generatedTaskSchema.shape.description,
  details: generatedTaskSchema.shape.details,
  testStrategy: generatedTaskSchema.shape.testStrategy,
  dependencies: generatedTaskSchema.shape.dependencies.describe(
    'Numbers of the subtasks of the same task that must be done before this one',
  ),
  status: generatedTaskSchema.shape.status,
});

/** A subtask as a plan needs it. */
export const plannedSubtaskSchema = generatedSubtaskSchema
  .extend({
    details: plannedTaskSchema.shape.details,
    testStrategy: plannedTaskSchema.shape.testStrategy,
  })
  .meta({ required: ['id', 'title', 'description', 'details', 'testStrategy'] });
export type GeneratedSubtask = z.infer<typeof generatedSubtaskSchema>;
