import { z } from 'zod';
import { projectRoot, research, tag } from '../definition/shared-arguments.ts';
import { booleanOrText, integerOrDigits } from '../schema/coercion.ts';
import { fileNameSchema } from '../project/index.ts';

export const MAX_PRD_LENGTH = 500_000;
const DEFAULT_TASK_COUNT = 10;
/** Where claude-task-master looks for the document. */
export const DEFAULT_PRD_NAME = '.taskmaster/docs/prd.txt';

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
      .describe(
        `Instead of prd: the name of a file of the project that connect_files has put there; by default ${DEFAULT_PRD_NAME}`,
      ),
    numTasks: integerOrDigits(z.int().min(0).max(200).default(DEFAULT_TASK_COUNT)).describe(
      'About how many top-level tasks to make (0 to 200); 0 leaves it to the LLM',
    ),
    append: booleanOrText(
      'Add to the tasks of the tag instead of refusing one that has some; wins over force',
    ),
    force: booleanOrText('Replace the tasks of the tag instead of refusing one that has some'),
    echo: booleanOrText(
      'False: the directive leaves the text of prd out, whose place is marked: put it there yourself. The stored request has it whole',
    ),
    research,
    tag,
    projectRoot,
  })
  .superRefine(({ prd, input, echo }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (prd !== undefined && input !== undefined)
      refuse(
        'prd',
        'give at most one of prd, the text of the document, and input, the name of a connected file',
      );
    if (echo === false && prd === undefined)
      refuse(
        'echo',
        'false leaves out the text of prd, which is not given: the text of a file is not known to you',
      );
  });
export type ParsePrdInput = z.infer<typeof parsePrdInputSchema>;
