import { generateTextWithContent, type Program, readProject, type ReadLimits } from '@baton/engine';
import type { Json, JsonObject } from '@baton/protocol';
import { z } from 'zod';
import {
  projectRoot,
  promptOrMetadata,
  refusePromptAndMetadataMissing,
  research,
  subtaskId,
  tag,
} from '../definition/shared-arguments.ts';
import { commit, commitWhenThereIsRoom } from '../definition/commit.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import {
  type ProjectCommand,
  allItemIds,
  parseTaskRef,
  type Project,
  openTag,
  requireRoom,
  requireSubtask,
  requireTask,
  resolveDependency,
  type TaskRef,
  taskDoneError,
  seenItem,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { shortForm } from '../project-context/task-forms.ts';
import { briefTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { subtaskViewSchema } from '../views/task-view.ts';
import { buildNoteMessages, notePromptText } from './prompt.ts';
import { definedFields } from '../schema/defined-fields.ts';

/** A note is a note: a longer one is asked for again. */
export const MAX_NOTE_LENGTH = 10_000;

const updateSubtaskInput = z
  .strictObject({
    id: subtaskId.describe('The subtask, such as "5.2"'),
    prompt: promptOrMetadata.prompt.describe('What to note on it'),
    metadata: promptOrMetadata.metadata,
    research,
    tag,
    projectRoot,
  })
  .superRefine(refusePromptAndMetadataMissing);
type UpdateSubtaskInput = z.infer<typeof updateSubtaskInput>;

const updateSubtaskResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  id: z.string(),
  /** The note as it was added to the details, with its date; empty where there was none to add. */
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
  category: 'task-management',
  changes: ['task'],
  description:
    'Adds a dated note to the details of a subtask, as `prompt` says; nothing else of it changes. The LLM call is ' +
    'delegated to you: answer it with agent_llm, with text. `metadata` alone is kept without any LLM.',
  input: updateSubtaskInput,
  result: updateSubtaskResult,
  promptText: notePromptText,
  nextSteps: ['Go on with the subtask, and set its status with set_task_status when it is done.'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot }) => projectGrowth(projectRoot),

  *run({ id, prompt, metadata, research = false, projectRoot, ...input }) {
    if (prompt === undefined) return yield* annotate(projectRoot, { id, metadata, tag: input.tag });
    const found = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) =>
      readNoteContext(project, { projectRoot, tag: input.tag, id, prompt }, limits),
    );
    const { value: text, content } = yield* generateTextWithContent({
      ...parametersOfRole(research),
      messages: buildNoteMessages(found.item, found, prompt, research),
      summary: `Note something on subtask ${id}: ${found.item.title.slice(0, 80)}`,
      longest: MAX_NOTE_LENGTH,
    });
    return yield* annotate(projectRoot, {
      id,
      text,
      metadata,
      tag: found.tag,
      seen: found.seen,
      attachments: content,
    });
  },

  summarize: ({ id, tag, added }) =>
    added === ''
      ? `Kept the metadata of subtask ${id} of tag '${tag}'.`
      : `Added a note to subtask ${id} of tag '${tag}'.`,
};

type Annotation = Omit<Extract<ProjectCommand, { command: 'append_info' }>, 'command'>;

function* annotate(projectRoot: string, annotation: Annotation): Program<JsonObject> {
  const apply = annotation.text === undefined ? commit : commitWhenThereIsRoom;
  const { tag, added, item } = yield* apply<{ tag: string; added: string; item: Json }>(projectRoot, {
    command: 'append_info',
    ...annotation,
  });
  return { projectRoot, tag, id: annotation.id, added, subtask: item };
}

interface NoteWish {
  readonly projectRoot: string;
  readonly tag: string | undefined;
  readonly id: string;
  readonly prompt: string;
}

/** What a note on a subtask needs of the project. @throws BatonError as its parts. */
function readNoteContext(
  project: Project | undefined,
  { projectRoot, tag: tagWish, id, prompt }: NoteWish,
  limits: ReadLimits,
) {
  const { existing, tag, tasks } = openTag(project, projectRoot, tagWish);
  const ref = parseTaskRef(id) as TaskRef;
  const task = requireTask({ tasks }, tag, ref);
  const subtask = requireSubtask(task, tag, ref);
  if (subtask.status === 'done') throw taskDoneError(tag, id);
  requireRoom(existing, { command: 'append_info', id, text: '-', tag });
  const at = task.subtasks.indexOf(subtask);
  // Only the neighbouring subtasks: they are enough context.
  const siblings = task.subtasks.filter((other, index) => other !== subtask && Math.abs(index - at) <= 5);
  const known = allItemIds([task]);
  // Of a sibling, "5.2"; all else as it is written.
  const dependencies = subtask.dependencies.map(
    (dependency) => resolveDependency(known, dependency, task.id) ?? dependency,
  );
  const query = `${prompt} ${subtask.title} ${task.title}`;
  const wish = { tag, about: [task.id], dependencies: [...dependencies, ...task.dependencies], query };
  const { rules, context } = readProjectContext(existing, wish, limits);
  return {
    tag,
    item: {
      id,
      title: excerpt(subtask.title, 300) ?? '',
      status: subtask.status,
      ...definedFields({
        description: excerpt(subtask.description, 2_000),
        details: excerpt(subtask.details, 8_000),
        testStrategy: excerpt(subtask.testStrategy, 2_000),
      }),
    },
    parent: {
      ...briefTaskExcerpt(task),
      ...definedFields({
        description: excerpt(task.description, 1_000),
        details: excerpt(task.details, 2_000),
      }),
    },
    siblings: siblings.map(shortForm),
    seen: seenItem(id, subtask),
    rules,
    context,
  };
}
