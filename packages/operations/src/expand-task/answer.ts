import { z } from 'zod';
import { wrapBareList } from '../schema/coercion.ts';
import { MAX_GENERATED_SUBTASKS, generatedSubtaskSchema } from '../project/index.ts';

/** What the LLM is asked for when a task is split. */
export const expandAnswer = wrapBareList(
  'subtasks',
  z.object({
    subtasks: z
      .array(generatedSubtaskSchema)
      .min(1, 'must hold at least one subtask')
      .max(MAX_GENERATED_SUBTASKS),
  }),
);
