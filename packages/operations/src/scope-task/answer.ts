import { z } from 'zod';
import { complexityFields } from '../analyze-project-complexity/answer.ts';
import { generatedTaskSchema, plannedSubtaskSchema, MAX_SUBTASKS_PER_ANSWER } from '../project/index.ts';
import { nullAsAbsent } from '../schema/coercion.ts';

const { title, description, details, testStrategy, priority } = generatedTaskSchema.shape;

/** The task as it is to be; a field that is left out stays. */
const rescoped = z.object({
  title: nullAsAbsent(title),
  description: nullAsAbsent(description),
  details,
  testStrategy,
  priority,
});

/** In the place of the task's pending subtasks. */
const subtasks = z
  .array(plannedSubtaskSchema)
  .min(1, 'must hold at least one subtask')
  .max(MAX_SUBTASKS_PER_ANSWER);

/** In the place of what the complexity report says of the task. */
const complexity = z.object(complexityFields);

export type ScopeAnswer = z.infer<typeof rescoped> & {
  readonly subtasks?: z.infer<typeof subtasks>;
  readonly complexity?: z.infer<typeof complexity>;
};

/** Subtasks and complexity are asked for where the task has pending subtasks, and where it was analyzed. */
export function scopeAnswerSchema(asks: {
  readonly subtasks: boolean;
  readonly complexity: boolean;
}): z.ZodType<ScopeAnswer> {
  return rescoped.extend({
    ...(asks.subtasks ? { subtasks } : {}),
    ...(asks.complexity ? { complexity } : {}),
  }) as z.ZodType<ScopeAnswer>;
}
