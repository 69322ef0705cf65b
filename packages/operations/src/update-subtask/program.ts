import { commitProject, generateText, readProject } from '@baton/engine';
import type { Json } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, prompt, research, subtaskId, tag } from '../definition/shared-arguments.ts';
import { ROLE_PARAMETERS, modelRoleFor } from '../definition/role-parameters.ts';
import type { ToolOperation } from '../definition/operation.ts';
import {
  type Command,
  parseTaskRef,
  type Project,
  requireProject,
  requireSubtask,
  requireTag,
  requireTask,
  resolveTag,
  type TaskRef,
  taskDoneError,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { rulesExcerpt } from '../prompt-kit/rules-section.ts';
import { briefTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { subtaskViewSchema } from '../views/task-view.ts';
import { buildNoteMessages, notePromptText } from './prompt.ts';
import { definedFields } from '../schema/defined-fields.ts';

/** A note is a note: a longer one is asked for again. */
export const MAX_NOTE_LENGTH = 10_000;

const updateSubtaskInput = z.strictObject({
  id: subtaskId.describe('The subtask, such as "5.2"'),
  prompt: prompt.describe('What to note on it'),
  research,
  tag,
  projectRoot,
});
type UpdateSubtaskInput = z.infer<typeof updateSubtaskInput>;

const updateSubtaskResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  id: z.string(),
  /** The note as it was added to the details, with its date. */
  added: z.string(),
  subtask: subtaskViewSchema,
});

/** Adds a dated note to a subtask's details. */
export const updateSubtaskOperation: ToolOperation<
  UpdateSubtaskInput,
  z.infer<typeof updateSubtaskResult>
> = {
  name: 'update_subtask',
  version: 1,
  title: 'Add a note to a subtask',
  description:
    'Adds a dated note to the details of a subtask, as `prompt` says; nothing else of it changes. The LLM call is ' +
    'delegated to you: answer it with agent_llm, with text.',
  input: updateSubtaskInput,
  result: updateSubtaskResult,
  promptText: notePromptText,
  nextSteps: ['Go on with the subtask, and set its status with set_task_status when it is done.'],
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },

  *run({ id, prompt, research = false, projectRoot, ...input }) {
    const found = yield* readProject(projectRoot, (project?: Project) =>
      readNoteContext(project, projectRoot, input.tag, id),
    );
    const role = modelRoleFor(research);
    const text = yield* generateText({
      ...ROLE_PARAMETERS[role],
      role,
      messages: buildNoteMessages(found.item, found, prompt, research),
      summary: `Note something on subtask ${id}: ${found.item.title.slice(0, 80)}`,
      longest: MAX_NOTE_LENGTH,
    });
    const { added, item } = yield* commitProject<{ added: string; item: Json }>(projectRoot, {
      command: 'append_info',
      id,
      text,
      tag: found.tag,
    } satisfies Command as Json);
    return { projectRoot, tag: found.tag, id, added, subtask: item };
  },

  summarize: ({ id, tag }) => `Added a note to subtask ${id} of tag '${tag}'.`,
};

/** What a note on a subtask needs of the project. @throws BatonError as its parts. */
function readNoteContext(
  project: Project | undefined,
  projectRoot: string,
  tagWish: string | undefined,
  id: string,
) {
  const existing = requireProject(project, projectRoot);
  const tag = resolveTag(existing, tagWish);
  const ref = parseTaskRef(id) as TaskRef;
  const task = requireTask(requireTag(existing, tag), tag, ref);
  const subtask = requireSubtask(task, tag, ref);
  if (subtask.status === 'done') throw taskDoneError(tag, id);
  const at = task.subtasks.indexOf(subtask);
  // Only the neighbouring subtasks: they are enough context.
  const siblings = task.subtasks.filter((other, index) => other !== subtask && Math.abs(index - at) <= 5);
  return {
    tag,
    item: {
      id,
      title: excerpt(subtask.title, 300) ?? '',
      status: subtask.status,
      ...definedFields({
        description: excerpt(subtask.description, 2_000),
        details: excerpt(subtask.details, 8_000),
      }),
    },
    parent: {
      ...briefTaskExcerpt(task),
      ...definedFields({ description: excerpt(task.description, 1_000) }),
    },
    siblings: siblings.map(briefTaskExcerpt),
    rules: rulesExcerpt(existing),
  };
}
