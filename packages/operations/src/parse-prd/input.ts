import { z } from 'zod';
import { projectRoot, research, tag } from '../definition/shared-arguments.ts';
import { booleanOrText, integerOrDigits } from '../schema/coercion.ts';
import { fileNameSchema } from '../project/index.ts';

export const MAX_PRD_LENGTH = 500_000;
export const DEFAULT_TASK_COUNT = 10;

/**
 * What `parse_prd` takes. `append` and `force` together append, as in claude-task-master: callers set `force` to get
 * past the refusal, and of the two readings this is the one that loses nothing.
 */
export const parsePrdInputSchema = z
  .strictObject({
    prd: z
      .string()
      .min(1)
      .max(MAX_PRD_LENGTH)
      .regex(/\S/, 'must not be blank')
      .optional()
      .describe('The product requirements document, as text'),
    input: fileNameSchema
      .optional()
      .describe('Instead of prd: the name of a file of the project that connect_files has put there'),
    numTasks: integerOrDigits(z.int().min(0).max(200).default(DEFAULT_TASK_COUNT)).describe(
      'About how many top-level tasks to make (0 to 200); 0 leaves it to the LLM',
    ),
    append: booleanOrText(
      'Add to the tasks of the tag instead of refusing one that has some; wins over force',
    ),
    force: booleanOrText('Replace the tasks of the tag instead of refusing one that has some'),
    research,
    tag,
    projectRoot,
  })
  .superRefine(({ prd, input }, context) => {
    if ((prd === undefined) !== (input === undefined)) return;
    const message =
      'give exactly one of prd, the text of the document, and input, the name of a connected file';
    context.addIssue({ code: 'custom', path: ['prd'], message });
  });
export type ParsePrdInput = z.infer<typeof parsePrdInputSchema>;
