import { z } from 'zod';
import { projectRoot } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import { requireProject, tagNameSchema } from '../project/index.ts';
import { countProgress } from '../views/progress.ts';
import {
  defineChangeTool,
  pluralize,
  DESTRUCTIVE_HINTS,
  IDEMPOTENT_WRITE_HINTS,
  defineViewTool,
  WRITE_HINTS,
} from './project-tool.ts';

/** Tools around tags: lists of tasks side by side in one project. */

const existing = z.string().min(1).max(64);
const description = z.string().max(1_000).optional().describe('What the tag is for');

export const listTagsTool = defineViewTool({
  name: 'list_tags',
  title: 'List tags',
  category: 'tag-management',
  description: 'Lists the tags of a project, which one is current, and how far each is.',
  input: z.strictObject({ showMetadata: booleanOrText('Show what else is kept with each tag'), projectRoot }),
  result: z.object({
    projectRoot: z.string(),
    currentTag: z.string(),
    totalTags: z.int(),
    tags: z.array(
      z.looseObject({
        name: z.string(),
        isCurrent: z.boolean(),
        taskCount: z.int(),
        completedTasks: z.int(),
        metadata: z.looseObject({}).optional(),
      }),
    ),
  }),
  view: (project, { projectRoot, showMetadata }) => {
    const { tags, currentTag } = requireProject(project, projectRoot);
    const listed = [...tags].map(([name, { tasks, metadata }]) => ({
      name,
      isCurrent: name === currentTag,
      taskCount: tasks.length,
      completedTasks: countProgress(tasks).completed,
      ...(showMetadata ? { metadata: { ...metadata } } : {}),
    }));
    return { projectRoot, currentTag, totalTags: listed.length, tags: listed };
  },
  summarize: ({ totalTags, currentTag }) => `${pluralize(totalTags, 'tag')}; '${currentTag}' is current.`,
});

const made = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  copiedFrom: z.string().nullable(),
  tasksCopied: z.int(),
});

export const addTagTool = defineChangeTool({
  name: 'add_tag',
  title: 'Add a tag',
  category: 'tag-management',
  changes: ['tasks'],
  description:
    'Makes a new tag, empty or with a copy of the tasks of another. The current tag stays current.',
  hints: WRITE_HINTS,
  input: z.strictObject({
    name: tagNameSchema,
    copyFromCurrent: booleanOrText('Copy the tasks of the current tag'),
    copyFromTag: existing.optional().describe('Copy the tasks of this tag, whatever copyFromCurrent says'),
    description,
    projectRoot,
  }),
  result: made,
  command: ({ name, copyFromCurrent, copyFromTag, description }) => ({
    command: 'add_tag',
    name,
    copyFrom: copyFromTag ?? (copyFromCurrent ? true : undefined),
    description,
  }),
  summarize: ({ tag, tasksCopied, copiedFrom }) =>
    copiedFrom === null
      ? `Made tag '${tag}'.`
      : `Made tag '${tag}' with ${pluralize(tasksCopied, 'task')} of '${copiedFrom}'.`,
});

export const copyTagTool = defineChangeTool({
  name: 'copy_tag',
  title: 'Copy a tag',
  category: 'tag-management',
  changes: ['tasks'],
  description: 'Makes a new tag with a copy of all tasks of another.',
  hints: WRITE_HINTS,
  input: z.strictObject({
    sourceName: existing.describe('The tag to copy'),
    targetName: tagNameSchema.describe('The new tag (1 to 64 letters, digits or - _ .)'),
    description,
    projectRoot,
  }),
  result: made,
  command: ({ sourceName, targetName, description }) => ({
    command: 'add_tag',
    name: targetName,
    copyFrom: sourceName,
    description,
  }),
  summarize: ({ tag, tasksCopied }) => `Made tag '${tag}' with ${pluralize(tasksCopied, 'task')}.`,
});

export const renameTagTool = defineChangeTool({
  name: 'rename_tag',
  title: 'Rename a tag',
  category: 'tag-management',
  changes: ['tasks'],
  description: 'Gives a tag another name; its tasks stay as they are.',
  hints: IDEMPOTENT_WRITE_HINTS,
  input: z.strictObject({
    oldName: existing.describe('The tag to rename'),
    newName: tagNameSchema.describe('Its new name (1 to 64 letters, digits or - _ .)'),
    projectRoot,
  }),
  result: z.object({
    projectRoot: z.string(),
    oldName: z.string(),
    newName: z.string(),
    currentTag: z.string(),
    taskCount: z.int(),
  }),
  command: ({ oldName, newName }) => ({ command: 'rename_tag', oldName, newName }),
  summarize: ({ oldName, newName }) => `Tag '${oldName}' is now '${newName}'.`,
});

export const deleteTagTool = defineChangeTool({
  name: 'delete_tag',
  title: 'Delete a tag',
  category: 'tag-management',
  changes: ['status'],
  description: 'Deletes a tag with all its tasks, for good. The only tag of a project cannot be deleted.',
  hints: DESTRUCTIVE_HINTS,
  input: z.strictObject({
    name: existing.describe('The tag to delete'),
    projectRoot,
  }),
  result: z.object({
    projectRoot: z.string(),
    tag: z.string(),
    currentTag: z.string(),
    tasksDeleted: z.int(),
  }),
  command: ({ name }) => ({ command: 'delete_tag', name }),
  summarize: ({ tag, tasksDeleted, currentTag }) =>
    `Deleted tag '${tag}' with ${pluralize(tasksDeleted, 'task')}; '${currentTag}' is current.`,
});

export const useTagTool = defineChangeTool({
  name: 'use_tag',
  title: 'Switch to a tag',
  category: 'tag-management',
  changes: ['status'],
  description: 'Makes a tag the current one, which calls without `tag` mean.',
  hints: IDEMPOTENT_WRITE_HINTS,
  input: z.strictObject({ name: existing.describe('The tag to switch to'), projectRoot }),
  result: z.object({
    projectRoot: z.string(),
    previousTag: z.string(),
    currentTag: z.string(),
    taskCount: z.int(),
  }),
  command: ({ name }) => ({ command: 'use_tag', name }),
  summarize: ({ currentTag, taskCount }) =>
    `'${currentTag}' is current, with ${pluralize(taskCount, 'task')}.`,
});
