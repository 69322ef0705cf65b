import { generateObject, readProject, type ReadLimits } from '@baton/engine';
import { BatonError, type Json } from '@baton/protocol';
import { z } from 'zod';
import { commitWhenThereIsRoom } from '../definition/commit.ts';
import { createdSchema } from '../definition/shared-arguments.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import {
  type Project,
  STATUSES,
  type Status,
  statusesOfNewItems,
  tagNotEmptyError,
  listRemarks,
  type Remarks,
  remarkFields,
  remarksNote,
} from '../project/index.ts';
import { fitReply } from '../views/reply-room.ts';
import { taskViewSchema } from '../views/task-view.ts';
import { parsePrdAnswerSchema } from './answer.ts';
import { DEFAULT_PRD_NAME, type ParsePrdInput, parsePrdInputSchema } from './input.ts';
import { buildParsePrdMessages, parsePrdPromptText } from './prompt.ts';
import { readPrdContext } from './prompt-context.ts';

const parsePrdResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasksAdded: z.int(),
  taskIds: z.array(z.int()),
  created: createdSchema,
  /** The first of them: a reply has room for some 15,000 tokens. */
  tasks: z.array(taskViewSchema),
  /** The ids of the others, which get_task shows. */
  notShown: z.array(z.int()).optional(),
  /** With force: how many tasks were taken out, and up to 50 of them, those that were begun or done first. */
  tasksReplaced: z.int().optional(),
  replaced: z.array(z.object({ id: z.int(), title: z.string(), status: z.enum(STATUSES) })).optional(),
  statusesIgnored: remarkFields.statusesIgnored,
  dependenciesIgnored: remarkFields.dependenciesIgnored,
  droppedDependencies: remarkFields.droppedDependencies,
});

/** The outcome of `add_tasks` as it comes back from the journal. */
type Added = Remarks & {
  tag: string;
  taskIds: number[];
  tasks: Json[];
  created?: 'project' | 'tag';
  replaced?: { count: number; tasks: { id: number; title: string; status: Status }[] };
};

/**
 * Turns a product requirements document into the tasks of a tag. A tag with tasks is refused before the LLM is paid
 * for, and again when the tasks are put in, since it may have got some in between.
 */
export const parsePrdOperation: ToolOperation<ParsePrdInput, z.infer<typeof parsePrdResult>> = {
  name: 'parse_prd',
  version: 1,
  title: 'Parse a product requirements document',
  category: 'task-management',
  changes: ['tasks', 'task'],
  description:
    'Turns a product requirements document (`prd`, as text, or `input`, a connected file) into numbered tasks with dependencies, priorities, details ' +
    'and test strategies, in a tag of the project. A tag that already has tasks is refused unless `append` adds to ' +
    'them or `force` replaces them, done ones too. The LLM call is delegated to you: answer it with agent_llm.',
  input: parsePrdInputSchema,
  result: parsePrdResult,
  promptText: parsePrdPromptText,
  nextSteps: [
    'Read the tasks with get_tasks and correct what was misunderstood with update_task.',
    'Find out which tasks are too large with analyze_project_complexity, and split them with expand_all.',
  ],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot, force }) => projectGrowth(projectRoot, force ? 0 : 1),
  unechoed: ({ prd = '', echo = true }) => (echo ? undefined : { argument: 'prd', text: prd }),

  *run({ prd, input, numTasks, append = false, force = false, research = false, tag, projectRoot }) {
    const connected = prd === undefined ? { projectRoot, name: input } : undefined;
    const target = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) =>
      readPrdContext(project, { tag, append, prd, connected }, limits),
    );
    if (target.count > 0 && !append && !force) throw tagNotEmptyError(target.tag, target.count);
    const document = prd ?? target.document ?? '';
    if (document.trim() === '') throw blank(input ?? DEFAULT_PRD_NAME);

    const answer = yield* generateObject({
      ...parametersOfRole(research),
      messages: buildParsePrdMessages({
        prd: document,
        numTasks,
        research,
        rules: target.rules,
        context: target.context,
        ...(append ? { append: target } : {}),
      }),
      summary: `Plan tasks from a requirements document of ${document.length} characters, tag '${target.tag}'`,
      schema: parsePrdAnswerSchema,
      objectName: 'tasks_data',
    });

    const added = yield* commitWhenThereIsRoom<Added>(projectRoot, {
      command: 'add_tasks',
      tag: target.tag,
      mode: append ? 'append' : force ? 'replace' : 'refuse_if_not_empty',
      tasks: answer.tasks,
      seenBelow: target.nextId,
      mustExist: target.mustExist,
    });

    const { taskIds, replaced, created } = added;
    const tasks = fitReply(added.tasks, (task) => task);
    const notShown = taskIds.slice(tasks.length);
    return {
      projectRoot,
      tag: added.tag,
      tasksAdded: taskIds.length,
      taskIds,
      tasks,
      ...(notShown.length > 0 ? { notShown } : {}),
      ...(created ? { created } : {}),
      ...(replaced ? { tasksReplaced: replaced.count, replaced: replaced.tasks } : {}),
      ...listRemarks(added, { statusesIgnored: statusesOfNewItems(answer.tasks, taskIds) }),
    };
  },

  summarize: ({ tasksAdded, tag, taskIds, created, tasksReplaced = 0, ...remarks }) =>
    `Added ${tasksAdded} ${tasksAdded === 1 ? 'task' : 'tasks'} to ${created === 'tag' ? 'the new ' : ''}tag '${tag}' (${taskIds[0]} to ${taskIds.at(-1)})` +
    `${tasksReplaced > 0 ? `, in the place of ${tasksReplaced}` : ''}` +
    `${remarksNote(remarks)}.`,
};

function blank(input: string): BatonError {
  return new BatonError('invalid_arguments', `input: the file '${input}' holds no text.`, { field: 'input' });
}
