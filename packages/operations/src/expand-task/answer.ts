import { z } from 'zod';
import { wrapBareList } from '../schema/coercion.ts';
import { MAX_NEW_SUBTASKS, newSubtask } from '../project/index.ts';

/** What the LLM is asked for when a task is split. */
export const expandAnswer = wrapBareList(
  'subtasks',
  z.object({
    subtasks: z.array(newSubtask).min(1, 'must hold at least one subtask').max(MAX_NEW_SUBTASKS),
  }),
);
