import type { JsonObject } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import {
  firstTaskSchema,
  MAX_FIRST_TASKS,
  type ProjectMetadata,
  projectMetadataSchema,
  projectRulesSchema,
  languageSchema,
  METADATA_LIMITS,
  fileNameSchema,
  STATUSES,
} from '../project/index.ts';
import {
  defineChangeTool,
  DESTRUCTIVE_HINTS,
  IDEMPOTENT_DESTRUCTIVE_HINTS,
  pluralize,
} from './project-tool.ts';

/** Tools around what a project is about: its beginning, its rules, its files. */

/** Rules as a list, or as one Markdown text. */
const rules = z
  .preprocess((value) => (typeof value === 'string' ? [value] : value), projectRulesSchema)
  .meta({ type: ['array', 'string'] });

const NEXT_STEPS = [
  'parse_prd turns a requirements document into tasks; add_task adds single ones',
  'connect_files puts documents beside the tasks, set_rules what all work keeps to',
  'next_task tells what to work on',
];

export const initializeProjectTool = defineChangeTool({
  name: 'initialize_project',
  title: 'Start a project',
  category: 'project-management',
  changes: ['status', 'tasks', 'rules'],
  description:
    'Starts a project, or says more of one that is there: its name, what it is for, what it is built with, its rules. ' +
    'What is given takes the place of what was said before; tasks that are there stay, and `tasks` are added where none of ' +
    'the same title is there.',
  hints: IDEMPOTENT_DESTRUCTIVE_HINTS,
  input: z.strictObject({
    projectRoot,
    name: projectMetadataSchema.shape.name.describe('What people call it; by default its projectRoot'),
    requirements: projectMetadataSchema.shape.requirements.describe('What it is for'),
    techStack: projectMetadataSchema.shape.techStack.describe('What it is built with'),
    rules: rules.optional().describe('What all work on it keeps to; takes the place of earlier rules'),
    tasks: z
      .array(firstTaskSchema.strict())
      .max(MAX_FIRST_TASKS)
      .optional()
      .describe('Its first tasks, each with title and description; parse_prd works some out from a document'),
  }),
  result: z.object({
    operation: z.literal('initialize_project'),
    workspace: z.object({ id: z.string(), path: z.string(), name: z.string(), created_at: z.string() }),
    tasks_created: z
      .array(z.object({ id: z.int(), title: z.string(), status: z.enum(STATUSES) }))
      .describe('The tasks that this call added'),
    rules_applied: z.array(z.string()),
    setup_complete: z.literal(true),
    next_steps: z.array(z.string()),
  }),
  command: ({ name, requirements, techStack, rules, tasks }) => ({
    command: 'initialize',
    about: { name, requirements, techStack },
    ...(rules === undefined ? {} : { rules }),
    ...(tasks === undefined ? {} : { tasks }),
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
      tasks_created: outcome['added'],
      rules_applied: outcome['rules'],
      setup_complete: true,
      next_steps: NEXT_STEPS,
    };
  },
  summarize: ({ workspace, tasks_created: { length } }) =>
    `Project '${workspace.name}' is ready${length === 0 ? '' : `, with ${pluralize(length, 'new task')}`}.`,
  nextSteps: NEXT_STEPS,
});

export const setRulesTool = defineChangeTool({
  name: 'set_rules',
  title: 'Set the rules of a project',
  category: 'project-management',
  changes: ['rules'],
  description:
    'Sets what all work on a project keeps to, in the place of earlier rules; requests to LLMs carry it. `append` adds to ' +
    'what is there.',
  hints: IDEMPOTENT_DESTRUCTIVE_HINTS,
  input: z.strictObject({
    rules: rules.describe('A list of rules, or one Markdown text; an empty list takes all out'),
    append: booleanOrText('Add to the rules that are there'),
    projectRoot,
  }),
  result: z.object({ projectRoot: z.string(), rules: z.array(z.string()) }),
  command: ({ rules, append }) => ({ command: 'set_rules', rules, append }),
  summarize: ({ rules }) => `The project has ${pluralize(rules.length, 'rule')}.`,
});

export const responseLanguageTool = defineChangeTool({
  name: 'response_language',
  title: 'Set the language of answers',
  category: 'project-management',
  changes: ['status'],
  description:
    'Sets the language in which all operations on a project are answered, in the place of an earlier one; without one ' +
    'they are answered in the language of their data. A project that is not there is started.',
  hints: IDEMPOTENT_DESTRUCTIVE_HINTS,
  input: z.strictObject({
    language: languageSchema
      .nullable()
      .describe('Such as "English", "español" or "中文"; null takes the language out'),
    projectRoot,
  }),
  result: z.object({
    projectRoot: z.string(),
    /** Null where answers are in the language of their data. */
    responseLanguage: z.string().nullable(),
    message: z.string(),
  }),
  command: ({ language }) => ({ command: 'initialize', about: { language } }),
  show: (outcome: JsonObject, { projectRoot }) => {
    const { language } = outcome['about'] as ProjectMetadata;
    const message =
      language === undefined
        ? 'Answers are written in the language of their data.'
        : `Answers are written in this language: ${language}`;
    return { projectRoot, responseLanguage: language ?? null, message };
  },
  summarize: ({ message }) => message,
  nextSteps: ['Texts that are there stay as they are; update revises them.'],
});

export const connectFilesTool = defineChangeTool({
  name: 'connect_files',
  title: 'Connect files with a project',
  category: 'project-management',
  changes: ['files'],
  description:
    "Keeps files' texts with a project under their names, each in the place of an earlier one, so that parse_prd takes " +
    'one as `input`; `remove` takes files out. Baton opens no paths: the text itself is sent.',
  hints: DESTRUCTIVE_HINTS,
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
