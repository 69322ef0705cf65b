import {
  exceedsDepth,
  exceedsValueCount,
  isRecord,
  type Json,
  RESERVED_NAMES,
  textSchema,
} from '@baton/protocol';
import { z } from 'zod';

/** Bounds of one definition. Lengths are in characters. */
export const MAX_STEPS = 100;
const MAX_ARGUMENTS = 50;
const MAX_RESOURCES = 10;
const MAX_TEMPLATE_DEPTH = 16;
const MAX_TEMPLATE_VALUES = 1_000;

const nameSchema = (most: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[A-Za-z_][A-Za-z0-9_-]{0,${most - 1}}$`),
      `must be 1 to ${most} letters, digits, "_" or "-", and begin with a letter or "_"`,
    )
    .refine((name) => !RESERVED_NAMES.has(name), 'is a reserved name');

export const workflowNameSchema = nameSchema(64);
const partNameSchema = nameSchema(64);

const templateSchema = z
  .custom<Json>((value) => value !== undefined)
  .superRefine((value, context) => {
    if (exceedsValueCount(MAX_TEMPLATE_VALUES, value))
      context.addIssue({ code: 'custom', message: `must hold at most ${MAX_TEMPLATE_VALUES} values` });
    else if (exceedsDepth(MAX_TEMPLATE_DEPTH, value))
      context.addIssue({ code: 'custom', message: `must nest at most ${MAX_TEMPLATE_DEPTH} levels` });
  });

/** A record leaves out `__proto__` without a word; here it is refused like every other reserved name. */
const templatesSchema = z.preprocess(
  (value, context) => {
    if (!isRecord(value) || !Object.hasOwn(value, '__proto__')) return value;
    context.addIssue({ code: 'custom', message: '__proto__ is a reserved name' });
    return z.NEVER;
  },
  z
    .record(partNameSchema, templateSchema)
    .refine(
      (fields) => Object.keys(fields).length <= MAX_ARGUMENTS,
      `must hold at most ${MAX_ARGUMENTS} arguments`,
    ),
);

const argumentSchema = z.strictObject({
  name: partNameSchema,
  description: textSchema(1_000).optional(),
  required: z.boolean().default(false),
});

const stepSchema = z.strictObject({
  name: partNameSchema.describe('The step, as plan, variables and placeholders call it'),
  tool: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('The tool that it calls; without one it guides, or shows resources'),
  arguments: templatesSchema.optional().describe("The tool's arguments: each a constant or a template"),
  guidance: textSchema(4_000).optional().describe('What whoever does the step should think of'),
  bind: partNameSchema.optional().describe("The name of its output in templates; by default the step's"),
  retryable: z.boolean().default(false).describe('Whether the same call is worth repeating after a failure'),
  resources: z.array(textSchema(2_000)).max(MAX_RESOURCES).default([]).describe('URIs that the trace embeds'),
});

/** A workflow as a tenant defines it: a prompt whose steps the server runs, and hands off where it cannot. */
export const workflowSchema = z.strictObject({
  name: workflowNameSchema,
  title: textSchema(200).optional(),
  description: textSchema(1_000).describe('What it does, as it goes on after "I want to"'),
  arguments: z.array(argumentSchema).max(MAX_ARGUMENTS).default([]),
  steps: z.array(stepSchema).min(1).max(MAX_STEPS),
});

export type Workflow = z.infer<typeof workflowSchema>;
export type WorkflowStep = Workflow['steps'][number];

/** The name under which later steps find the step's output. */
export function bindingOf({ bind, name }: WorkflowStep): string {
  return bind ?? name;
}
