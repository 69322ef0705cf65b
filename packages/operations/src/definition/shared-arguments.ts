import { z } from 'zod';
import { orJsonText } from '@baton/protocol';
import { booleanOrText } from '../schema/coercion.ts';
import { tagNameSchema, taskMetadataSchema } from '../project/index.ts';

/** Arguments that several tools share, in name, type and wording. */

/** A directory with and without a slash at its end is one project. */
export const withoutTrailingSlashes = (key: string) => /^(.*[^/\\])[/\\]+$/s.exec(key)?.[1] ?? key;

/** A project's key: an opaque string, never a path that is opened. */
export const projectRoot = z
  .string()
  .min(1)
  .max(1_024)
  .refine((key) => /^\P{Cs}*$/u.test(key), 'must not hold half characters')
  .overwrite(withoutTrailingSlashes)
  .default('default')
  .describe('The project: any string that names it, such as its directory; `default` when left out');

export const tag = tagNameSchema
  .optional()
  .describe("A tag of the project; by default the project's current one (`master` at first)");

export const research = booleanOrText('Ask the model for research instead of the main one');

/** Room for what a person types, not for documents. */
export const MAX_PROMPT_LENGTH = 50_000;

export const prompt = z.string().min(1).max(MAX_PROMPT_LENGTH).regex(/\S/, 'must not be blank');

/** For operations that work without an LLM where `metadata` alone is given; a blank prompt is then none. */
export const promptOrMetadata = {
  prompt: z.preprocess(
    (value) => (typeof value === 'string' && value.trim() === '' ? undefined : value),
    prompt.optional(),
  ),
  metadata: orJsonText(taskMetadataSchema)
    .meta({ type: ['object', 'string'] })
    .optional()
    .describe(
      'Fields of your own, merged into those that the task has; no LLM sees them. Alone, without prompt, nothing else changes',
    ),
};

export function refusePromptAndMetadataMissing(
  { prompt, metadata }: { prompt?: string | undefined; metadata?: object | undefined },
  context: z.RefinementCtx,
): void {
  if (prompt !== undefined || metadata !== undefined) return;
  const message = 'give prompt for the LLM to work from, or metadata to keep, or both';
  context.addIssue({ code: 'custom', path: ['prompt'], message });
}

/** The id of what is only shown: a number with a fraction is a subtask's. */
export const shownIdTextSchema = (most: number) => idTextSchema(most).meta({ type: ['string', 'number'] });

/**
 * An id as people and models write it: a number, or text. A number with a fraction is refused, since 1.10, the tenth subtask, is the same number
 * as 1.1, and another would be changed.
 */
export const idTextSchema = (most: number) =>
  z
    .preprocess((id) => (Number.isInteger(id) ? String(id) : id), z.string().trim().min(1).max(most))
    .meta({ type: ['string', 'integer'] });

/** The id of one whole task. */
export const taskId = idTextSchema(100).refine(
  (id) => /^[1-9]\d{0,9}$/.test(id),
  'must be the id of a whole task, such as "5"',
);

/** The id of one subtask. */
export const subtaskId = idTextSchema(100).refine(
  (id) => /^[1-9]\d{0,9}\.[1-9]\d{0,9}$/.test(id),
  'must be the id of a subtask, such as "5.2"',
);

/** In results: what was made to put tasks into, where it was not there; a mistyped name makes one too. */
export const createdSchema = z
  .enum(['project', 'tag'])
  .optional()
  .describe('What was not there before, and was made');
