import { modelRoleSchema, type JsonObject, textSchema } from '@baton/protocol';
import { z } from 'zod';
import { modelParameters, objectSchemaSchema } from '../definition/definition-parts.ts';
import { hintsSchema } from './hints.ts';

/** Bounds of one prompt. Lengths are in characters. */
const MAX_TEXT = 32_768;
const MAX_HANDLER = 8_192;
const MAX_ARGUMENTS = 50;
const MAX_TAGS = 50;
const MAX_FUNCTIONS = 50;

export const promptNameSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or "_"',
  );

const argumentSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z_]\w{0,63}$/, 'must be 1 to 64 letters, digits or "_", and begin with no digit'),
  description: textSchema(1_000).optional(),
  required: z.boolean().default(true),
});

const tagSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z_][\w.-]{0,63}$/, 'must be the name of a tag: 1 to 64 letters, digits, "_", "-" or "."'),
  required: z.boolean().default(true).describe('An answer without it does not parse'),
  signal: z.boolean().default(false).describe('Its presence is all that counts: it parses to true or false'),
  many: z.boolean().default(false).describe('It may come several times: it parses to a list'),
});

/** How an answer is read: as words, as JSON that fits a schema, or as the contents of tags in XML or Markdown. */
const parserSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json'), schema: objectSchemaSchema }),
  z.strictObject({ type: z.literal('xml'), tags: z.array(tagSchema).min(1).max(MAX_TAGS) }),
  z.strictObject({ type: z.literal('md'), tags: z.array(tagSchema).min(1).max(MAX_TAGS) }),
]);

const functionNameSchema = z
  .string()
  .regex(
    /^[A-Za-z_][\w-]{0,63}$/,
    'must be 1 to 64 letters, digits, "_" or "-", and begin with a letter or "_"',
  );

/** A function of the caller: calls of it are returned to the caller, who answers them. */
const callerFunctionSchema = z.strictObject({
  name: functionNameSchema,
  description: textSchema(1_000).optional(),
  parameters: objectSchemaSchema,
});

export const promptSchema = z.strictObject({
  name: promptNameSchema,
  title: textSchema(200).optional(),
  description: textSchema(1_000).optional(),
  text: textSchema(MAX_TEXT).describe(
    'The user message; {argument} stands for an argument, {{word}} for the text {word}',
  ),
  system: textSchema(MAX_TEXT).optional().describe('The system message, with arguments too'),
  arguments: z
    .array(argumentSchema)
    .max(MAX_ARGUMENTS)
    .optional()
    .describe('By default the arguments in text and system, each required'),
  role: modelRoleSchema.default('main'),
  parser: parserSchema.default({ type: 'text' }),
  exceptionHandler: textSchema(MAX_HANDLER)
    .optional()
    .describe('What is asked after an answer that does not parse: {error_message}'),
  interruptHandler: textSchema(MAX_HANDLER)
    .optional()
    .describe('The words of the tool message of a function: {call_results}'),
  functions: z
    .array(z.union([functionNameSchema, callerFunctionSchema]))
    .max(MAX_FUNCTIONS)
    .default([])
    .describe("Tools of Baton, agent_<id> of specialists, and the caller's own with their parameters"),
  hints: hintsSchema.optional(),
  public: z.boolean().default(false).describe('Whether it is an MCP prompt too'),
  ...modelParameters,
});

/** A prompt as it was put, with all defaults. */
export type PromptInput = Omit<z.infer<typeof promptSchema>, 'arguments'> & {
  readonly arguments: readonly PromptArgument[];
};
export type PromptArgument = z.infer<typeof argumentSchema>;
export type PromptParser = z.infer<typeof parserSchema>;
export type ParserTag = z.infer<typeof tagSchema>;
export type CallerFunction = z.infer<typeof callerFunctionSchema>;

/** A version of a prompt. */
export interface PromptDefinition extends PromptInput {
  readonly version: number;
}

/** What lists show of a prompt: kept beside its versions. */
export type PromptSummary = Pick<PromptInput, 'title' | 'description' | 'public' | 'arguments'>;

export function promptSummaryOf(prompt: PromptInput): PromptSummary {
  const { title, description, public: isPublic, arguments: args } = prompt;
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    public: isPublic,
    arguments: args,
  };
}

/** A prompt of a version of it. */
export function toPromptDefinition({
  version,
  definition,
}: {
  readonly version: number;
  readonly definition: JsonObject;
}): PromptDefinition {
  return { ...(definition as unknown as PromptInput), version };
}
