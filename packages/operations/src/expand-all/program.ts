import { all, type Program, readProject } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { projectRoot, prompt, research, tag } from '../definition/shared-arguments.ts';
import { splitTask } from '../expand-task/split-task.ts';
import { subtaskCountArgument } from '../expand-task/program.ts';
import { booleanOrText, integerOrDigits } from '../schema/coercion.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import {
  type Project,
  openTag,
  type Task,
  listRemarks,
  remarkFields,
  remarksNote,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { splitIntoBatches } from '../prompt-kit/split-into-batches.ts';
import { expandPromptText } from '../expand-task/prompt.ts';
import { expandTogether } from './expand-together.ts';
import { endedExpansion, type ExpansionEnd, failedExpansion } from './expansion-end.ts';

const AT_ONCE = 8;
const MOST_AT_ONCE = 32;
const MOST_PER_REQUEST = 10;

const expandAllInput = z.strictObject({
  num: subtaskCountArgument,
  research,
  prompt: prompt.optional().describe('What to heed when the tasks are split'),
  force: booleanOrText('Split tasks that have subtasks too, replacing those that are pending'),
  atOnce: integerOrDigits(z.int().min(1).max(MOST_AT_ONCE).default(AT_ONCE)).describe(
    'How many requests may wait for an answer at once',
  ),
  perRequest: integerOrDigits(z.int().min(1).max(MOST_PER_REQUEST).default(1)).describe(
    'How many tasks one request has split: fewer and longer answers. A task that an answer leaves out is asked for again',
  ),
  tag,
  projectRoot,
});
type ExpandAllInput = z.infer<typeof expandAllInput>;

const expandAllResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasksToExpand: z.int(),
  expandedCount: z.int(),
  failedCount: z.int(),
  skippedCount: z.int(),
  expanded: z.array(z.object({ id: z.int(), subtasksAdded: z.int(), subtasksReplaced: z.int().optional() })),
  failed: z.array(z.object({ id: z.int(), code: z.string(), message: z.string() })),
  dependenciesIgnored: remarkFields.dependenciesIgnored,
  droppedDependencies: remarkFields.droppedDependencies,
  statusesIgnored: remarkFields.statusesIgnored,
});

/**
 * Splits every open task that has no subtasks yet, some at once, in whatever order the answers come. Each is in the
 * project as soon as it is answered; one that fails is listed and leaves the others alone. When all do, the first failure is the task's.
 */
export const expandAllOperation: ToolOperation<ExpandAllInput, z.infer<typeof expandAllResult>> = {
  name: 'expand_all',
  version: 1,
  title: 'Split all open tasks into subtasks',
  category: 'task-management',
  changes: ['tasks', 'task'],
  description:
    'Splits every pending or in-progress task without subtasks (`force`: with subtasks too). Several LLM requests are ' +
    'open at once: pendingInteractions lists them, pending_interactions fetches each; answer them with agent_llm in any order.',
  input: expandAllInput,
  result: expandAllResult,
  promptText: expandPromptText,
  nextSteps: ['See what failed, if anything did, and call expand_task for it.', 'Begin with next_task.'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot, force }) => (force ? undefined : projectGrowth(projectRoot)),

  *run({ projectRoot, num, prompt, force = false, research = false, atOnce, perRequest, ...input }) {
    const found = yield* readProject(projectRoot, (project?: Project) => {
      const { tag, tasks } = openTag(project, projectRoot, input.tag);
      return { tag, total: tasks.length, ids: tasks.filter(isToExpand(force)).map(({ id }) => id) };
    });
    const { tag, ids, total } = found;
    const wish = { projectRoot, tag, num, prompt, force, research, show: false };
    const ends =
      perRequest > 1
        ? (yield* all(
            splitIntoBatches(ids, perRequest, Infinity).map((group) => () => expandTogether(wish, group)),
            atOnce,
          )).flat()
        : yield* all(
            ids.map((id) => () => expandOne({ ...wish, id })),
            atOnce,
          );
    const expanded = ends.flatMap((end) => ('subtasksAdded' in end ? [end] : []));
    const failed = ends.flatMap((end) => ('code' in end ? [end] : []));
    const [first] = failed;
    if (first !== undefined && expanded.length === 0) throw BatonError.fromWire(first);
    return {
      projectRoot,
      tag,
      tasksToExpand: ids.length,
      expandedCount: expanded.length,
      failedCount: failed.length,
      skippedCount: total - ids.length,
      expanded: expanded.map(({ id, subtasksAdded, subtasksReplaced }) => ({
        id,
        subtasksAdded,
        ...(subtasksReplaced === undefined ? {} : { subtasksReplaced }),
      })),
      failed: failed.map(shortenMessage),
      ...listRemarks(...expanded),
    };
  },

  summarize: ({ expandedCount, failedCount, tag, ...remarks }) =>
    `Split ${expandedCount} ${expandedCount === 1 ? 'task' : 'tasks'} of tag '${tag}'` +
    `${failedCount > 0 ? `; ${failedCount} failed and are listed` : ''}${remarksNote(remarks)}.`,
};

function isToExpand(force: boolean) {
  return ({ status, subtasks }: Task) =>
    (status === 'pending' || status === 'in-progress') && (force || subtasks.length === 0);
}

function* expandOne(expansion: Parameters<typeof splitTask>[0]): Program<ExpansionEnd> {
  try {
    return endedExpansion(expansion.id, yield* splitTask(expansion));
  } catch (thrown) {
    // A refusal is this task's own; a bug of the program is everyone's.
    if (!(thrown instanceof BatonError)) throw thrown;
    return failedExpansion(expansion.id, thrown);
  }
}

const FULL_MESSAGES = 50;

/** A thousand failures must not make a reply too large for clients: the first have their message, the rest their code. */
function shortenMessage<T extends { readonly message: string }>(failure: T, index: number): T {
  return index < FULL_MESSAGES ? failure : { ...failure, message: excerpt(failure.message, 60) ?? '' };
}
