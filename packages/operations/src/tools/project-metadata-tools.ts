import type { JsonObject } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import {
  type ProjectMetadata,
  projectMetadataSchema,
  METADATA_LIMITS,
  fileNameSchema,
} from '../project/index.ts';
import { defineChangeTool, pluralize, IDEMPOTENT_WRITE_HINTS, WRITE_HINTS } from './project-tool.ts';

/** Tools around what a project is about: its beginning, its rules, its files. */

/** Rules as a list, or as one Markdown text. */
const rules = z
  .preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z
      .array(z.string().trim().min(1, 'must not be empty').max(METADATA_LIMITS.ruleLength))
      .max(METADATA_LIMITS.rules),
  )
  .meta({ type: ['array', 'string'] });

const NEXT_STEPS = [
  'parse_prd turns a requirements document into tasks; add_task adds single ones',
  'connect_files puts documents beside the tasks, set_rules what all work keeps to',
  'next_task tells what to work on',
];

export const initializeProjectTool = defineChangeTool({
  name: 'initialize_project',
  title: 'Start a project',
  description:
    'Starts a project, or says more of one that is there: its name, what it is for, what it is built with, its rules. ' +
    'Tasks that are there stay.',
  hints: IDEMPOTENT_WRITE_HINTS,
  input: z.strictObject({
    projectRoot,
    name: projectMetadataSchema.shape.name.describe('What people call it; by default its projectRoot'),
    requirements: projectMetadataSchema.shape.requirements.describe('What it is for'),
    techStack: projectMetadataSchema.shape.techStack.describe('What it is built with'),
    rules: rules.optional().describe('What all work on it keeps to; takes the place of earlier rules'),
  }),
  result: z.object({
    operation: z.literal('initialize_project'),
    workspace: z.object({ id: z.string(), path: z.string(), name: z.string(), created_at: z.string() }),
    tasks_created: z.array(z.looseObject({})),
    rules_applied: z.array(z.string()),
    setup_complete: z.literal(true),
    next_steps: z.array(z.string()),
  }),
  command: ({ name, requirements, techStack, rules }) => ({
    command: 'initialize',
    about: { name, requirements, techStack },
    ...(rules === undefined ? {} : { rules }),
  }),
  show: (outcome: JsonObject, { projectRoot }) => {
    const kept = outcome['about'] as ProjectMetadata;
    return {
      operation: 'initialize_project',
      workspace: {
        id: projectRoot,
        path: projectRoot,
        name: kept.name ?? projectRoot,
        created_at: kept.created ?? '',
      },
      tasks_created: [],
      rules_applied: outcome['rules'],
      setup_complete: true,
      next_steps: NEXT_STEPS,
    };
  },
  summarize: ({ workspace }) => `Project '${workspace.name}' is ready.`,
});

export const setRulesTool = defineChangeTool({
  name: 'set_rules',
  title: 'Set the rules of a project',
  description:
    'Sets what all work on a project keeps to; requests to LLMs carry it. `append` adds to what is there.',
  hints: IDEMPOTENT_WRITE_HINTS,
  input: z.strictObject({
    rules: rules.describe('A list of rules, or one Markdown text; an empty list takes all out'),
    append: booleanOrText('Add to the rules that are there'),
    projectRoot,
  }),
  result: z.object({ projectRoot: z.string(), rules: z.array(z.string()) }),
  command: ({ rules, append }) => ({ command: 'set_rules', rules, append }),
  summarize: ({ rules }) => `The project has ${pluralize(rules.length, 'rule')}.`,
});

export const connectFilesTool = defineChangeTool({
  name: 'connect_files',
  title: 'Connect files with a project',
  description:
    "Keeps files' texts with a project under their names, each in the place of an earlier one, so that parse_prd takes " +
    'one as `input`. Baton opens no paths: the text itself is sent.',
  hints: WRITE_HINTS,
  input: z
    .strictObject({
      files: z
        .array(
          z.strictObject({
            name: fileNameSchema.describe('What to call it, such as docs/prd.md'),
            text: z
              .string()
              .max(METADATA_LIMITS.fileLength)
              .describe('Its whole text; a file that is no text as a data: URL in base64'),
          }),
        )
        .max(METADATA_LIMITS.files)
        .default([]),
      remove: z
        .array(fileNameSchema)
        .max(METADATA_LIMITS.files)
        .default([])
        .describe('Names of files to take out'),
      projectRoot,
    })
    .superRefine(({ files, remove }, context) => {
      if (files.length + remove.length > 0) return;
      context.addIssue({
        code: 'custom',
        path: ['files'],
        message: 'give files to connect, or names to remove',
      });
    }),
  result: z.object({
    projectRoot: z.string(),
    files: z.array(z.object({ name: z.string(), length: z.int(), updated: z.string() })),
  }),
  command: ({ files, remove }) => ({ command: 'connect_files', files, remove }),
  summarize: ({ files }) => `The project has ${pluralize(files.length, 'file')}.`,
});
