import { commitProject, generateObject, generateText, type Program, readProject } from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, prompt, research, tag, taskId } from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import { ROLE_PARAMETERS, modelRoleFor } from '../definition/role-parameters.ts';
import type { ToolOperation } from '../definition/operation.ts';
import {
  type Command,
  type Project,
  requireProject,
  requireTag,
  requireTask,
  resolveTag,
  taskDoneError,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { rulesExcerpt } from '../prompt-kit/rules-section.ts';
import { detailedTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { updateTaskAnswerSchema, dropUnrequestedStatus, dropTruncatedFields } from '../update/answer.ts';
import { buildUpdateMessages, updateTaskPromptText } from '../update/prompt.ts';
import { buildNoteMessages } from '../update-subtask/prompt.ts';
import { MAX_NOTE_LENGTH } from '../update-subtask/program.ts';
import { taskViewSchema } from '../views/task-view.ts';

const updateTaskInput = z.strictObject({
  id: taskId.describe('The task to revise; for a subtask use update_subtask'),
  prompt: prompt.describe('What changes about the task, or is to be noted'),
  append: booleanOrText('Add a dated note to its details instead of revising it'),
  research,
  tag,
  projectRoot,
});
type UpdateTaskInput = z.infer<typeof updateTaskInput>;

const updateTaskResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  id: z.string(),
  /** False when nothing about the task had to change. */
  updated: z.boolean(),
  task: taskViewSchema,
});

type Found = {
  readonly tag: string;
  readonly task: ReturnType<typeof detailedTaskExcerpt>;
  readonly rules?: string | undefined;
};
type UpdateRequest = Found & {
  readonly request: string;
  readonly projectRoot: string;
  readonly research: boolean;
};
type CommitOutcome = {
  readonly updated: number[];
  readonly skipped: { reason: string }[];
  readonly tasks: Json[];
};

/** Revises one task, or adds a dated note to it. A task that is done is refused, before and after the LLM was asked. */
export const updateTaskOperation: ToolOperation<UpdateTaskInput, z.infer<typeof updateTaskResult>> = {
  name: 'update_task',
  version: 1,
  title: 'Revise a task',
  description:
    'Revises one task as `prompt` says; `append` adds a dated note to its details instead. Its id, its status unless ' +
    'the prompt asks for another, and subtasks that are done stay. The LLM call is delegated to you: answer it with agent_llm.',
  input: updateTaskInput,
  result: updateTaskResult,
  promptText: updateTaskPromptText,
  nextSteps: ['Read the task with get_task.', 'If it grew, split it with expand_task.'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },

  *run({ id, prompt, append = false, research = false, projectRoot, ...input }) {
    const found: Found = yield* readProject(projectRoot, (project?: Project) => {
      const existing = requireProject(project, projectRoot);
      const tag = resolveTag(existing, input.tag);
      const task = requireTask(requireTag(existing, tag), tag, { task: Number(id) });
      if (task.status === 'done') throw taskDoneError(tag, id);
      return { tag, task: detailedTaskExcerpt(task), rules: rulesExcerpt(existing) };
    });
    const wish = { ...found, request: prompt, projectRoot, research };
    const landed = append ? yield* note(wish) : yield* revise(wish);
    return { projectRoot, tag: found.tag, id, ...landed };
  },

  summarize: ({ id, tag, updated }) =>
    updated ? `Revised task ${id} of tag '${tag}'.` : `Task ${id} of tag '${tag}' stays as it was.`,
};

type End = { readonly updated: boolean; readonly task: Json };

function* revise(wish: UpdateRequest): Program<End> {
  const { tag, task, rules, request, projectRoot, research } = wish;
  const answer = yield* generateObject({
    ...callFor(wish, 'Revise'),
    messages: buildUpdateMessages(updateTaskPromptText, request, [task], { rules }, research),
    schema: updateTaskAnswerSchema,
    objectName: 'updated_task',
  });
  const { updated, skipped, tasks } = yield* commitProject<CommitOutcome>(projectRoot, {
    command: 'update_tasks',
    // Whatever the answer calls it, it was asked about this task.
    updates: [{ ...dropTruncatedFields(dropUnrequestedStatus(answer, request), task), id: task.id }],
    tag,
    show: true,
  } satisfies Command as Json);
  if (skipped[0]?.reason === 'done') throw taskDoneError(tag, `${task.id}`);
  if (tasks[0] === undefined) throw taskRemovedError(tag, task.id);
  return { updated: updated.length > 0, task: tasks[0] };
}

function* note(wish: UpdateRequest): Program<End> {
  const { tag, task, rules, request, projectRoot, research } = wish;
  const text = yield* generateText({
    ...callFor(wish, 'Note something on'),
    messages: buildNoteMessages(task, { rules }, request, research),
    longest: MAX_NOTE_LENGTH,
  });
  const { item } = yield* commitProject<{ item: Json }>(projectRoot, {
    command: 'append_info',
    id: `${task.id}`,
    text,
    tag,
  } satisfies Command as Json);
  return { updated: true, task: item };
}

/** Who is asked, and how lists name it. */
function callFor({ task, research }: UpdateRequest, what: string) {
  const role = modelRoleFor(research);
  return { ...ROLE_PARAMETERS[role], role, summary: `${what} task ${task.id}: ${excerpt(task.title, 80)}` };
}

function taskRemovedError(tag: string, id: number): BatonError {
  return new BatonError(
    'project_task_not_found',
    `Task ${id} was removed from tag '${tag}' while the LLM was at work. Nothing was changed.`,
    { id: `${id}`, tag },
  );
}
