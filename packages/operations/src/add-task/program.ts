import { generateObjectWithContent, readProject, type ReadLimits, type WithContent } from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import { z } from 'zod';
import { createdSchema, projectRoot, prompt, research, tag } from '../definition/shared-arguments.ts';
import { nullAsAbsent } from '../schema/coercion.ts';
import { commit, commitWhenThereIsRoom } from '../definition/commit.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import {
  type Dependency,
  existingItems,
  listRemarks,
  remarkFields,
  type Remarks,
  remarksNote,
  nextTaskId,
  seenItems,
  parseDependencyIds,
  plannedTaskSchema,
  prioritySchema,
  type Project,
  type Task,
  requireRoom,
  resolveTag,
  existingTarget,
  LEAST_TASK,
  TASK_LIMITS,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { taskViewSchema } from '../views/task-view.ts';
import { buildAddTaskMessages, addTaskPromptText } from './prompt.ts';
import { definedFields } from '../schema/defined-fields.ts';

const MOST_EXISTING = 200;
const MOST_RELATED = 10;

const addTaskInput = z
  .strictObject({
    prompt: prompt.optional().describe('What the task is about, for the LLM to work out'),
    title: z
      .string()
      .trim()
      .min(1)
      .max(TASK_LIMITS.titleLength)
      .optional()
      .describe('With description, instead of prompt: the task as it is to be, without any LLM'),
    description: z.string().max(TASK_LIMITS.descriptionLength).optional(),
    details: z.string().max(TASK_LIMITS.detailsLength).optional().describe('How to do it'),
    testStrategy: z
      .string()
      .max(TASK_LIMITS.detailsLength)
      .optional()
      .describe('How to know that it is done'),
    dependencies: z
      .preprocess((value) => {
        const ids = [value].flat();
        return ids.every((id) => typeof id === 'string' || typeof id === 'number') ? ids.join(',') : value;
      }, z.string().max(10_000))
      .meta({ type: ['string', 'integer', 'array'] })
      .optional()
      .describe('Ids of the tasks that it depends on, separated by commas; each must exist'),
    priority: nullAsAbsent(prioritySchema).describe('critical, high, medium or low'),
    research,
    tag,
    projectRoot,
  })
  .superRefine(({ prompt, title, description }, context) => {
    const manual = title !== undefined && description !== undefined;
    if (manual || prompt !== undefined) return;
    const missing = title === undefined ? (description === undefined ? 'prompt' : 'title') : 'description';
    const message = 'give prompt for the LLM to work the task out, or title and description';
    context.addIssue({ code: 'custom', path: [missing], message });
  });
type AddTaskInput = z.infer<typeof addTaskInput>;

const addTaskResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  /** Of the project; `taskId` is the delegation's. */
  id: z.int(),
  task: taskViewSchema,
  created: createdSchema,
  dependenciesIgnored: remarkFields.dependenciesIgnored,
});

type Added = Remarks & { tag: string; taskId: number; task: Json; created?: 'project' | 'tag' };

const addTaskAnswer = plannedTaskSchema
  .omit({ id: true, status: true })
  .meta({ required: ['title', 'description', 'details', 'testStrategy'] });

/** Adds one task: as the caller wrote it, or worked out by the LLM. Its id is given when it is put in. */
export const addTaskOperation: ToolOperation<AddTaskInput, z.infer<typeof addTaskResult>> = {
  name: 'add_task',
  version: 1,
  title: 'Add a task',
  category: 'task-management',
  changes: ['tasks', 'task'],
  description:
    'Adds one task. With `title` and `description` it is added as it is, without any LLM; with `prompt` the LLM works ' +
    'it out, and that call is delegated to you: answer it with agent_llm.',
  input: addTaskInput,
  result: addTaskResult,
  promptText: addTaskPromptText,
  nextSteps: ['If it is large, split it with expand_task.', 'Connect it with others by add_dependency.'],
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot }) => projectGrowth(projectRoot),

  *run({ prompt, research = false, projectRoot, ...input }) {
    const own = parseDependencyIds(input.dependencies ?? '');
    const dependencies = own.map((id): Dependency => (id.includes('.') ? id : Number(id)));
    const { title, description, details, testStrategy } = input;
    const manual = title !== undefined && description !== undefined;
    const request = requestOf(prompt, input);
    const found = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) => {
      const tag = resolveTag(project, input.tag);
      const tasks = project?.tags.get(tag)?.tasks ?? [];
      refuseUnknown(own, tasks, tag);
      requireRoom(project, { command: 'add_task', tag, task: LEAST_TASK, dependencies, suggested: [] });
      const wish = {
        tag,
        about: [],
        dependencies,
        query: request,
        related: MOST_RELATED,
        plan: MOST_EXISTING,
      };
      const { plan, ...known } = readProjectContext(manual ? undefined : project, wish, limits);
      return {
        tag,
        mustExist: existingTarget(project, tag),
        existing: plan,
        count: tasks.length,
        nextId: nextTaskId(tasks),
        seen: manual ? undefined : seenItems(tasks, own),
        ...known,
      };
    });
    const { value: answer, content }: WithContent<z.infer<typeof addTaskAnswer>> = manual
      ? { value: { title, description }, content: [] }
      : yield* generateObjectWithContent({
          ...parametersOfRole(research),
          messages: buildAddTaskMessages({ ...found, request, dependencies }, research),
          summary: `Work out a task: ${excerpt(prompt, 80)}`,
          schema: addTaskAnswer,
          objectName: 'new_task',
        });
    const given = { title, description, details, testStrategy, priority: input.priority };
    const { dependencies: suggested = [], ...worked } = answer;
    const apply = manual ? commit : commitWhenThereIsRoom;
    const { tag, taskId, task, created, dependenciesIgnored } = yield* apply<Added>(projectRoot, {
      command: 'add_task',
      tag: found.tag,
      // Fields that the caller gave override the LLM's.
      task: { ...worked, ...(definedFields(given) as Partial<typeof worked>) },
      dependencies,
      suggested,
      seen: found.seen,
      seenBelow: found.nextId,
      mustExist: found.mustExist,
      attachments: content,
    });
    return {
      projectRoot,
      tag,
      id: taskId,
      task,
      ...(created ? { created } : {}),
      ...listRemarks({ dependenciesIgnored }),
    };
  },

  summarize: ({ id, tag, task, created, dependenciesIgnored }) =>
    `Added task ${id} to ${created === 'tag' ? 'the new ' : ''}tag '${tag}': ${task.title}` +
    remarksNote({ dependenciesIgnored }),
};

/** What the caller wrote beside the prompt is part of what the LLM works from. */
function requestOf(
  prompt: string | undefined,
  { title, description, details }: Partial<AddTaskInput>,
): string {
  return [prompt, title && `Title: ${title}`, description, details].filter(Boolean).join('\n\n');
}

/** Checked before the LLM is asked; the commit checks again, since a task may be removed in between. */
function refuseUnknown(own: readonly string[], tasks: readonly Task[], tag: string): void {
  const known = existingItems(tasks, own);
  const id = own.find((one) => !known.has(one));
  if (id === undefined) return;
  throw new BatonError('project_task_not_found', `dependencies: tag '${tag}' has no task or subtask ${id}.`, {
    id,
    tag,
    field: 'dependencies',
  });
}
