import {
  generateObjectWithContent,
  generateTextWithContent,
  type Program,
  readProject,
  type ReadLimits,
} from '@baton/engine';
import { type Json, type JsonObject } from '@baton/protocol';
import { z } from 'zod';
import {
  projectRoot,
  promptOrMetadata,
  refusePromptAndMetadataMissing,
  research,
  tag,
  taskId,
} from '../definition/shared-arguments.ts';
import { booleanOrText } from '../schema/coercion.ts';
import { commit, commitWhenThereIsRoom } from '../definition/commit.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import {
  type Project,
  openTag,
  requireRoom,
  requireTask,
  seenTasksAndSubtasks,
  taskDoneError,
  taskRemovedError,
  listRemarks,
  remarkFields,
  type Remarks,
  remarksNote,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import type { JournaledProject } from '../project-context/context-sections.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { singleTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { updateTaskAnswerSchema } from '../update/answer.ts';
import { changedFields } from '../update/changed-fields.ts';
import { markNewSubtasks } from '../update/mark-new-subtasks.ts';
import { RequestedStatuses } from '../update/requested-statuses.ts';
import { buildUpdateMessages, updateTaskPromptText } from '../update/prompt.ts';
import { buildNoteMessages } from '../update-subtask/prompt.ts';
import { MAX_NOTE_LENGTH } from '../update-subtask/program.ts';
import { taskViewSchema } from '../views/task-view.ts';

const updateTaskInput = z
  .strictObject({
    id: taskId.describe('The task to revise; for a subtask use update_subtask'),
    prompt: promptOrMetadata.prompt.describe('What changes about the task, or is to be noted'),
    append: booleanOrText('Add a dated note to its details instead of revising it'),
    metadata: promptOrMetadata.metadata,
    research,
    tag,
    projectRoot,
  })
  .superRefine(refusePromptAndMetadataMissing);
type UpdateTaskInput = z.infer<typeof updateTaskInput>;

const updateTaskResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  id: z.string(),
  /** False when nothing about the task had to change. */
  updated: z.boolean(),
  statusesIgnored: remarkFields.statusesIgnored,
  textsIgnored: remarkFields.textsIgnored,
  subtasksSkipped: remarkFields.subtasksSkipped,
  dependenciesIgnored: remarkFields.dependenciesIgnored,
  task: taskViewSchema,
});

type Found = JournaledProject & {
  readonly tag: string;
  readonly task: ReturnType<typeof singleTaskExcerpt>;
};
type UpdateRequest = Found & {
  readonly request: string;
  readonly projectRoot: string;
  readonly research: boolean;
  readonly metadata: TaskMetadata | undefined;
};
type TaskMetadata = NonNullable<UpdateTaskInput['metadata']>;
type CommitOutcome = Remarks & {
  readonly updated: number[];
  readonly skipped: { reason: string }[];
  readonly tasks: Json[];
};

/** Revises one task, or adds a dated note to it. A task that is done is refused, before and after the LLM was asked. */
export const updateTaskOperation: ToolOperation<UpdateTaskInput, z.infer<typeof updateTaskResult>> = {
  name: 'update_task',
  version: 1,
  title: 'Revise a task',
  category: 'task-management',
  changes: ['task'],
  description:
    'Revises one task as `prompt` says; `append` adds a dated note to its details instead. Its id, its status unless ' +
    'the prompt asks for another, and subtasks that are done stay. The LLM call is delegated to you: answer it with agent_llm. ' +
    '`metadata` alone is kept without any LLM.',
  input: updateTaskInput,
  result: updateTaskResult,
  promptText: updateTaskPromptText,
  nextSteps: ['Read the task with get_task.', 'If it grew, split it with expand_task.'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot, append }) => (append ? projectGrowth(projectRoot) : undefined),

  *run({ id, prompt, metadata, append = false, research = false, projectRoot, ...input }) {
    if (prompt === undefined) return yield* keepMetadata(projectRoot, { id, metadata, tag: input.tag });
    const found: Found = yield* readProject(
      projectRoot,
      (project: Project | undefined, limits: ReadLimits) => {
        const { existing, tag, tasks } = openTag(project, projectRoot, input.tag);
        const task = requireTask({ tasks }, tag, { task: Number(id) });
        if (task.status === 'done') throw taskDoneError(tag, id);
        if (append) requireRoom(existing, { command: 'append_info', id, text: '-', tag });
        const query = `${prompt} ${task.title} ${task.description}`;
        const wish = { tag, about: [task.id], dependencies: task.dependencies, query };
        const { rules, context } = readProjectContext(existing, wish, limits);
        return { tag, task: singleTaskExcerpt(task), seen: seenTasksAndSubtasks([task]), rules, context };
      },
    );
    const wish = { ...found, request: prompt, projectRoot, research, metadata };
    const landed = append ? yield* note(wish) : yield* revise(wish);
    return { projectRoot, tag: found.tag, id, ...landed };
  },

  summarize: ({ id, tag, updated, ...remarks }) =>
    (updated ? `Revised task ${id} of tag '${tag}'` : `Task ${id} of tag '${tag}' stays as it was`) +
    `${remarksNote(remarks)}.`,
};

type End = ReturnType<typeof listRemarks> & { readonly updated: boolean; readonly task: Json };

function* revise(wish: UpdateRequest): Program<End> {
  const { tag, task, request, projectRoot, research, metadata } = wish;
  const { value: answer, content } = yield* generateObjectWithContent({
    ...callFor(wish, 'Revise'),
    messages: buildUpdateMessages(updateTaskPromptText, request, [task], wish, research),
    schema: updateTaskAnswerSchema(task.id),
    objectName: 'updated_task',
  });
  const { update: selected, ignored } = new RequestedStatuses(request).select(
    markNewSubtasks(answer, task),
    task,
  );
  const { update, textsIgnored } = changedFields(selected, task);
  const { updated, skipped, tasks, ...remarks } = yield* commitWhenThereIsRoom<CommitOutcome>(projectRoot, {
    command: 'update_tasks',
    updates: [update],
    tag,
    seen: wish.seen,
    show: true,
    metadata,
    attachments: content,
  });
  if (skipped[0]?.reason === 'done') throw taskDoneError(tag, `${task.id}`);
  if (tasks[0] === undefined) throw taskRemovedError(tag, `${task.id}`);
  return {
    updated: updated.length > 0,
    ...listRemarks({ statusesIgnored: ignored, textsIgnored }, remarks),
    task: tasks[0],
  };
}

function* note(wish: UpdateRequest): Program<End> {
  const { tag, task, request, projectRoot, research, metadata } = wish;
  const { value: text, content } = yield* generateTextWithContent({
    ...callFor(wish, 'Note something on'),
    messages: buildNoteMessages(task, wish, request, research),
    longest: MAX_NOTE_LENGTH,
  });
  const { item } = yield* commitWhenThereIsRoom<{ item: Json }>(projectRoot, {
    command: 'append_info',
    id: `${task.id}`,
    text,
    tag,
    seen: wish.seen,
    metadata,
    attachments: content,
  });
  return { updated: true, task: item };
}

/** No LLM is asked; the commit refuses what `run` would refuse. */
function* keepMetadata(
  projectRoot: string,
  { id, metadata, tag }: Pick<UpdateTaskInput, 'id' | 'metadata' | 'tag'>,
): Program<JsonObject> {
  const kept = yield* commit<{ tag: string; changed: boolean; item: Json }>(projectRoot, {
    command: 'append_info',
    id,
    metadata,
    tag,
  });
  return { projectRoot, tag: kept.tag, id, updated: kept.changed, task: kept.item };
}

/** Who is asked, and how lists name it. */
function callFor({ task, research }: UpdateRequest, what: string) {
  return { ...parametersOfRole(research), summary: `${what} task ${task.id}: ${excerpt(task.title, 80)}` };
}
