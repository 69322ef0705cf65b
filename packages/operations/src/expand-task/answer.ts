import { z } from 'zod';
import { objectOrBareList } from '../schema/coercion.ts';
import { MAX_SUBTASKS_PER_ANSWER, plannedSubtaskSchema } from '../project/index.ts';

/** What the LLM is asked for when a task is split. */
export const expandAnswerSchema = objectOrBareList(
  'subtasks',
  z.object({
    subtasks: z
      .array(plannedSubtaskSchema)
      .min(1, 'must hold at least one subtask')
      .max(MAX_SUBTASKS_PER_ANSWER),
  }),
);
