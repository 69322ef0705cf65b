import { all, generateObject, type Program, readProject, type ReadLimits } from '@baton/engine';
import { BatonError, type Json, truncate } from '@baton/protocol';
import { z } from 'zod';
import { toOneAnalysisPerTask } from '../analyze-project-complexity/answer.ts';
import { commitWhenThereIsRoom } from '../definition/commit.ts';
import type { ToolOperation } from '../definition/operation.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { idTextSchema, projectRoot, prompt, research, tag } from '../definition/shared-arguments.ts';
import {
  type ProjectCommand,
  type ProjectTaskUpdate,
  parseTaskRefs,
  PRIORITIES,
  type Project,
  openTag,
  requireTask,
  statusesOfNewItems,
  taskDoneError,
  taskRemovedError,
  listRemarks,
  remarkFields,
  type Remarks,
  remarksNote,
} from '../project/index.ts';
import { excerpt } from '../prompt-kit/excerpt.ts';
import { changedFields } from '../update/changed-fields.ts';
import { type ScopeAnswer, scopeAnswerSchema } from './answer.ts';
import { buildScopeMessages, scopePromptTexts } from './prompt.ts';
import { readScopeContext, type ScopeContext, type ScopeDirection, STRENGTHS } from './prompt-context.ts';

const MAX_TASKS = 50;
const AT_ONCE = 8;
const SHOWN_TITLE_LENGTH = 80;

const scopeInput = z.strictObject({
  id: idTextSchema(1_000).describe(`The tasks, separated by commas ("1,3,5"), at most ${MAX_TASKS}`),
  strength: z
    .preprocess(
      (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
      z.enum(STRENGTHS).default('regular'),
    )
    .meta({ type: 'string' })
    .describe('How far to go: light, regular or heavy'),
  prompt: prompt.optional().describe('What to heed'),
  research,
  tag,
  projectRoot,
});
type ScopeInput = z.infer<typeof scopeInput>;

const scoped = z.object({
  id: z.int(),
  title: z.string(),
  priority: z.enum(PRIORITIES),
  subtasksAdded: z.int(),
  subtasksReplaced: z.int(),
  /** Where the complexity report knows the task. */
  complexity: z.object({ before: z.int(), after: z.int() }).optional(),
});

const scopeResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  strength: z.enum(STRENGTHS),
  /** In short, titles cut; get_task shows a whole one. */
  updatedTasks: z.array(scoped),
  failed: z.array(z.object({ id: z.int(), code: z.string(), message: z.string() })),
  statusesIgnored: remarkFields.statusesIgnored,
  textsIgnored: remarkFields.textsIgnored,
  dependenciesIgnored: remarkFields.dependenciesIgnored,
  droppedDependencies: remarkFields.droppedDependencies,
});

type Scoped = Omit<z.infer<typeof scoped>, 'complexity'> &
  Remarks & { readonly complexity?: { readonly before: number; readonly after: number } };
type Failure = { readonly id: number; readonly code: string; readonly message: string };

export const scopeUpTaskOperation = defineScopeOperation(
  'up',
  'Widen the scope of tasks',
  'Makes one or more tasks cover more: texts, priority and pending subtasks.',
);

export const scopeDownTaskOperation = defineScopeOperation(
  'down',
  'Narrow the scope of tasks',
  'Makes one or more tasks cover less: texts, priority and pending subtasks.',
);

/**
 * One request for each task, some at once: the task, subtasks in the place of the pending ones, and its complexity where it
 * was analyzed come in one answer, and into the project in one change. When some tasks fail they are listed, and when all
 * do the first failure is the call's.
 */
function defineScopeOperation(
  direction: ScopeDirection,
  title: string,
  does: string,
): ToolOperation<ScopeInput, z.infer<typeof scopeResult>> {
  return {
    name: `scope_${direction}_task`,
    version: 1,
    title,
    category: 'task-management',
    changes: ['task'],
    description:
      `${does} Subtasks that are begun, done or set aside stay, as do statuses. Several LLM requests are open at once where ` +
      'several tasks are named. The LLM call is delegated to you: answer it with agent_llm.',
    input: scopeInput,
    result: scopeResult,
    promptText: scopePromptTexts[direction],
    nextSteps: ['Read a task with get_task.', 'If it grew or has no subtasks, split it with expand_task.'],
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },

    *run({ id, strength, prompt, research = false, projectRoot, ...input }) {
      const ids = wholeTasks(id);
      const tag = yield* readProject(projectRoot, (project?: Project) => {
        const { tag, tasks } = openTag(project, projectRoot, input.tag);
        for (const id of ids)
          if (requireTask({ tasks }, tag, { task: id }).status === 'done') throw taskDoneError(tag, `${id}`);
        return tag;
      });
      const wish = { projectRoot, tag, direction, strength, prompt, research };
      const only = ids.length === 1;
      const ends = yield* all(
        ids.map((task) => () => (only ? scopeOne(task, wish) : orFailure(task, wish))),
        AT_ONCE,
      );
      const landed = ends.flatMap((end): Scoped[] => ('code' in end ? [] : [end]));
      const failed = ends.flatMap((end): Failure[] => ('code' in end ? [end] : []));
      const [first] = failed;
      if (first !== undefined && landed.length === 0) throw BatonError.fromWire(first);
      return {
        projectRoot,
        tag,
        strength,
        updatedTasks: landed.map(inShort),
        failed,
        ...listRemarks(...landed),
      };
    },

    summarize: ({ updatedTasks, tag, failed, ...remarks }) =>
      `${direction === 'up' ? 'Widened' : 'Narrowed'} ${updatedTasks.length} ` +
      `${updatedTasks.length === 1 ? 'task' : 'tasks'} of tag '${tag}'` +
      `${failed.length > 0 ? `; ${failed.length} failed and are listed` : ''}${remarksNote(remarks)}.`,
  };
}

function inShort({ id, title, priority, subtasksAdded, subtasksReplaced, complexity }: Scoped) {
  const shown = {
    id,
    title: truncate(title, SHOWN_TITLE_LENGTH),
    priority,
    subtasksAdded,
    subtasksReplaced,
  };
  return complexity === undefined ? shown : { ...shown, complexity };
}

/** @throws BatonError `invalid_arguments`. */
function wholeTasks(id: string): number[] {
  const refs = parseTaskRefs(id);
  const part = refs.find(({ subtask }) => subtask !== undefined);
  if (part !== undefined) throw invalidId(`${part.task}.${part.subtask} is a subtask; name whole tasks`);
  const ids = [...new Set(refs.map(({ task }) => task))];
  if (ids.length > MAX_TASKS) throw invalidId(`${ids.length} tasks are named; ${MAX_TASKS} are allowed`);
  return ids;
}

function invalidId(why: string): BatonError {
  return new BatonError('invalid_arguments', `id: ${why}.`, { field: 'id' });
}

type Wish = Parameters<typeof buildScopeMessages>[1] & { readonly projectRoot: string; readonly tag: string };

function* scopeOne(id: number, wish: Wish): Program<Scoped> {
  const { projectRoot, tag, direction, research } = wish;
  const found: ScopeContext = yield* readProject(
    projectRoot,
    (project: Project | undefined, limits: ReadLimits) => readScopeContext(project, { ...wish, id }, limits),
  );
  const answer = yield* generateObject({
    ...parametersOfRole(research),
    messages: buildScopeMessages(found, wish),
    summary: `${direction === 'up' ? 'Widen' : 'Narrow'} task ${id}: ${excerpt(found.task.title, 80)}`,
    schema: scopeAnswerSchema({ subtasks: found.subtaskCount > 0, complexity: Boolean(found.report) }),
    objectName: 'updated_task',
  });
  const { subtasks: _, complexity: __, ...fields } = answer;
  const { update, textsIgnored } = changedFields({ ...fields, id }, found.task);
  const { outcomes } = yield* commitWhenThereIsRoom<{ outcomes: [Updated, ...Json[]] }>(projectRoot, {
    command: 'sequence',
    commands: changesOf(update, answer, found, wish),
  });
  const [{ skipped, tasks }, ...others] = outcomes;
  if (skipped[0]?.reason === 'done') throw taskDoneError(tag, `${id}`);
  const [task] = tasks;
  if (task === undefined) throw taskRemovedError(tag, `${id}`);
  const added = answer.subtasks === undefined ? undefined : (others[0] as unknown as Added);
  const statusesIgnored = statusesOfNewItems(answer.subtasks ?? [], added?.subtaskIds ?? []);
  return {
    id,
    title: task.title,
    priority: task.priority,
    subtasksAdded: added?.subtaskIds.length ?? 0,
    subtasksReplaced: added?.replaced ?? 0,
    ...(found.report && answer.complexity
      ? { complexity: { before: found.report.complexityScore, after: answer.complexity.complexityScore } }
      : {}),
    ...listRemarks(added, { statusesIgnored, textsIgnored }),
  };
}

/** The outcomes of `update_tasks` and `add_subtasks` as they come back from the journal. */
type Updated = {
  readonly skipped: { readonly reason: string }[];
  readonly tasks: Pick<z.infer<typeof scoped>, 'title' | 'priority'>[];
};
type Added = Remarks & { readonly subtaskIds: string[]; readonly replaced: number };

function changesOf(
  update: ProjectTaskUpdate,
  { subtasks, complexity }: ScopeAnswer,
  { task, seen, report }: ScopeContext,
  { projectRoot, tag }: Wish,
): Extract<ProjectCommand, { command: 'sequence' }>['commands'] {
  const { id } = task;
  return [
    { command: 'update_tasks', updates: [update], tag, seen, show: true },
    ...(subtasks
      ? [{ command: 'add_subtasks' as const, id, mode: 'replace_pending' as const, subtasks, tag, seen }]
      : []),
    ...(report && complexity
      ? [
          {
            command: 'merge_report' as const,
            tag,
            threshold: report.threshold,
            research: report.research,
            projectRoot,
            seen,
            analyses: toOneAnalysisPerTask([task], [{ ...complexity, taskId: id }]),
          },
        ]
      : []),
  ];
}

function* orFailure(id: number, wish: Wish): Program<Scoped | Failure> {
  try {
    return yield* scopeOne(id, wish);
  } catch (thrown) {
    // A refusal is this task's own; a bug of the program is everyone's.
    if (!(thrown instanceof BatonError)) throw thrown;
    return { id, code: thrown.code, message: thrown.message.slice(0, 400) };
  }
}
