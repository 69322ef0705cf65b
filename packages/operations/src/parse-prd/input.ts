import { z } from 'zod';
import { projectRoot, tag } from '../arguments.ts';
import { flag, wholeNumber } from '../lenient.ts';

export const MAX_PRD_LENGTH = 500_000;
export const DEFAULT_TASKS = 10;

/**
 * What `parse_prd` takes. `append` and `force` together append, as in claude-task-master: callers set `force` to get
 * past the refusal, and of the two readings this is the one that loses nothing.
 */
export const parsePrdInput = z.strictObject({
  prd: z
    .string()
    .min(1)
    .max(MAX_PRD_LENGTH)
    .regex(/\S/, 'must not be blank')
    .describe('The product requirements document, as text'),
  numTasks: wholeNumber(z.int().min(0).max(200).default(DEFAULT_TASKS)).describe(
    'About how many top-level tasks to make (0 to 200); 0 leaves it to the LLM',
  ),
  append: flag('Add to the tasks of the tag instead of refusing one that has some; wins over force'),
  force: flag('Replace the tasks of the tag instead of refusing one that has some'),
  research: flag('Ask the model for research instead of the main one'),
  tag,
  projectRoot,
});
export type ParsePrdInput = z.infer<typeof parsePrdInput>;
