import { all, generateObject, type Program, readProject, type ReadLimits } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, prompt, research, tag } from '../definition/shared-arguments.ts';
import { integerOrDigits } from '../schema/coercion.ts';
import { commitWhenThereIsRoom } from '../definition/commit.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import type { ToolOperation } from '../definition/operation.ts';
import {
  type Project,
  openTag,
  seenTasksAndSubtasks,
  type Task,
  listRemarks,
  MAX_LISTED,
  remarkFields,
  type Remarks,
  remarksNote,
} from '../project/index.ts';
import { splitIntoBatches } from '../prompt-kit/split-into-batches.ts';
import type { JournaledProject } from '../project-context/context-sections.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { detailedTaskExcerpt } from '../prompt-kit/task-excerpts.ts';
import { updateAnswerSchema } from './answer.ts';
import { changedFields } from './changed-fields.ts';
import { markNewSubtasks } from './mark-new-subtasks.ts';
import { RequestedStatuses } from './requested-statuses.ts';
import { buildUpdateMessages, updatePromptText } from './prompt.ts';

const TASKS_AT_ONCE = 25;
const CHARACTERS_AT_ONCE = 40_000;

const updateInput = z.strictObject({
  from: integerOrDigits(z.int().min(1)).describe(
    'The id of the first task that may change; all after it may too',
  ),
  prompt: prompt.describe('What changes, and why'),
  research,
  tag,
  projectRoot,
});
type UpdateInput = z.infer<typeof updateInput>;

const skipped = z.object({ id: z.int(), reason: z.enum(['gone', 'done', 'not_asked']) });
type Skipped = z.infer<typeof skipped>;

const updateResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasksUpdated: z.int(),
  taskIds: z.array(z.int()),
  /** What was removed or done while the LLM was at work, and what the answer has that it was not asked about: the first 200. */
  skipped: z.array(skipped),
  /** Of those that it was asked about, what the answers left out or gave as it was. */
  unchanged: z.array(z.int()).optional(),
  statusesIgnored: remarkFields.statusesIgnored,
  textsIgnored: remarkFields.textsIgnored,
  subtasksSkipped: remarkFields.subtasksSkipped,
  dependenciesIgnored: remarkFields.dependenciesIgnored,
  failed: z.array(z.object({ ids: z.array(z.int()), code: z.string(), message: z.string() })),
});

type BatchResult = Remarks & {
  readonly updated: number[];
  readonly skipped: Skipped[];
  /** Absent where a release before this one finished the batch. */
  readonly unchanged?: number[];
};
type Failure = { readonly ids: number[]; readonly code: string; readonly message: string };
type Batch = JournaledProject & { readonly tasks: readonly ReturnType<typeof detailedTaskExcerpt>[] };

/**
 * Revises the tasks from one id on that are not done, in batches side by side. What is answered is in the project at
 * once; when some batches fail they are listed, and when all do the first failure is the task's.
 */
export const updateOperation: ToolOperation<UpdateInput, z.infer<typeof updateResult>> = {
  name: 'update',
  version: 1,
  title: 'Revise upcoming tasks',
  category: 'task-management',
  changes: ['tasks', 'task'],
  description:
    'Revises every task with an id of at least `from` that is not done (cancelled ones too), as `prompt` says. Ids, statuses that nobody asks ' +
    'to change and subtasks that are done stay; `statusesIgnored` names statuses of the answer that were not taken. For one task use update_task, for a subtask update_subtask. The LLM call ' +
    'is delegated to you: answer it with agent_llm.',
  input: updateInput,
  result: updateResult,
  promptText: updatePromptText,
  nextSteps: ['Read what changed with get_tasks.', 'Go on with next_task.'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },

  *run({ from, prompt, research = false, projectRoot, ...input }) {
    // Only ids here: what a branch needs it reads itself, so that it is gone from the journal with the branch.
    const found = yield* readProject(projectRoot, (project?: Project) => {
      const { tag, tasks } = openTag(project, projectRoot, input.tag);
      const meant = tasks.filter((task) => task.id >= from && isOpen(task));
      const batches = splitIntoBatches(
        meant.map((task) => detailedTaskExcerpt(task)),
        TASKS_AT_ONCE,
        CHARACTERS_AT_ONCE,
      );
      return { tag, batches: batches.map((batch) => batch.map(({ id }) => id)) };
    });
    const wish = { request: prompt, projectRoot, tag: found.tag, research };
    const only = found.batches.length === 1;
    const ends = yield* all(
      found.batches.map((ids) => () => (only ? revise(ids, wish) : orFailure(() => revise(ids, wish), ids))),
    );
    const landed = ends.flatMap((end) => ('updated' in end ? [end] : []));
    const failed = ends.flatMap((end) => ('code' in end ? [end] : []));
    const [first] = failed;
    if (first !== undefined && landed.length === 0) throw BatonError.fromWire(first);
    const taskIds = landed.flatMap(({ updated }) => updated);
    const unchanged = landed.flatMap(({ unchanged }) => unchanged ?? []);
    return {
      projectRoot,
      tag: found.tag,
      tasksUpdated: taskIds.length,
      taskIds,
      skipped: landed.flatMap(({ skipped }) => skipped).slice(0, MAX_LISTED),
      ...(unchanged.length > 0 ? { unchanged } : {}),
      ...listRemarks(...landed),
      failed,
    };
  },

  summarize: ({ tasksUpdated, tag, failed, unchanged = [], ...remarks }) =>
    `Revised ${tasksUpdated} ${tasksUpdated === 1 ? 'task' : 'tasks'} of tag '${tag}'` +
    `${unchanged.length > 0 ? `; ${unchanged.length} stay as they were` : ''}` +
    `${failed.length > 0 ? `; ${failed.flatMap(({ ids }) => ids).length} could not be revised` : ''}${remarksNote(remarks)}.`,
};

interface UpdateRequest {
  readonly request: string;
  readonly projectRoot: string;
  readonly tag: string;
  readonly research: boolean;
}

/** As claude-task-master has it: whatever is not done, cancelled tasks too. */
function isOpen({ status }: Task): boolean {
  return status !== 'done';
}

function* revise(
  ids: readonly number[],
  { request, projectRoot, tag, research }: UpdateRequest,
): Program<BatchResult> {
  const found: Batch = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) => {
    const asked = new Set(ids);
    const open = project?.tags.get(tag)?.tasks.filter((task) => asked.has(task.id) && isOpen(task)) ?? [];
    const dependencies = [...new Set(open.flatMap((task) => task.dependencies))];
    const wish = { tag, about: ids, dependencies, query: request };
    const { rules, context } = readProjectContext(project, wish, limits);
    return {
      tasks: open.map((task) => detailedTaskExcerpt(task)),
      seen: seenTasksAndSubtasks(open),
      rules,
      context,
    };
  });
  const { tasks } = found;
  if (tasks.length === 0) return { updated: [], skipped: [], unchanged: [] };
  const answer = yield* generateObject({
    ...parametersOfRole(research),
    messages: buildUpdateMessages(updatePromptText, request, tasks, found, research),
    summary: `Revise ${tasks.length === 1 ? 'task' : `${tasks.length} tasks from`} ${tasks[0]?.id} on, tag '${tag}'`,
    schema: updateAnswerSchema,
    objectName: 'updated_tasks',
  });
  const asked = new Map(tasks.map((task) => [task.id, task]));
  const statuses = new RequestedStatuses(request);
  const selected = answer.tasks
    .filter(({ id }) => asked.has(id))
    .map((one) => statuses.select(markNewSubtasks(one, asked.get(one.id)), asked.get(one.id)));
  const notAsked = answer.tasks.flatMap(({ id }): Skipped[] =>
    asked.has(id) ? [] : [{ id, reason: 'not_asked' }],
  );
  const changes = selected.map(({ update }) => changedFields(update, asked.get(update.id)));
  if (changes.length === 0) return { updated: [], skipped: notAsked, unchanged: tasks.map(({ id }) => id) };
  const { updated, skipped, ...remarks } = yield* commitWhenThereIsRoom<Omit<BatchResult, 'unchanged'>>(
    projectRoot,
    {
      command: 'update_tasks',
      updates: changes.map(({ update }) => update),
      tag,
      seen: found.seen,
    },
  );
  const told = new Set([...updated, ...skipped.map(({ id }) => id)]);
  return {
    updated,
    skipped: [...skipped, ...notAsked].slice(0, MAX_LISTED),
    unchanged: tasks.flatMap(({ id }) => (told.has(id) ? [] : [id])),
    ...listRemarks(...selected.map(({ ignored }) => ({ statusesIgnored: ignored })), ...changes, remarks),
  };
}

function* orFailure(
  work: () => Program<BatchResult>,
  ids: readonly number[],
): Program<BatchResult | Failure> {
  try {
    return yield* work();
  } catch (thrown) {
    if (!(thrown instanceof BatonError)) throw thrown;
    return { ids: [...ids], code: thrown.code, message: thrown.message.slice(0, 400) };
  }
}
