import { all, generateObject, type Program, readProject, type ReadLimits } from '@baton/engine';
import { z } from 'zod';
import { idTextSchema, projectRoot, research, tag } from '../definition/shared-arguments.ts';
import { integerOrDigits } from '../schema/coercion.ts';
import { commitWhenThereIsRoom } from '../definition/commit.ts';
import { parametersOfRole } from '../definition/role-parameters.ts';
import { projectGrowth, type ToolOperation } from '../definition/operation.ts';
import { type Project, openTag, seenTasks, STATUSES } from '../project/index.ts';
import { splitIntoBatches } from '../prompt-kit/split-into-batches.ts';
import type { JournaledProject } from '../project-context/context-sections.ts';
import { readProjectContext } from '../project-context/project-context.ts';
import { analyzeAnswerSchema, toOneAnalysisPerTask } from './answer.ts';
import { buildAnalyzeMessages, type TaskExcerpt, taskExcerpt, analyzePromptText } from './prompt.ts';
import { selectTasksToAnalyze } from './select-tasks-to-analyze.ts';

const TASKS_AT_ONCE = 40;
const CHARACTERS_AT_ONCE = 32_000;

const analyzeInputSchema = z.strictObject({
  threshold: integerOrDigits(z.int().min(1).max(10).default(5)).describe(
    'The score (1 to 10) from which on a task is recommended for splitting',
  ),
  research,
  ids: idTextSchema(10_000)
    .optional()
    .describe(
      'Only these tasks, separated by commas; those that are neither pending, in progress nor blocked are skipped and listed',
    ),
  from: integerOrDigits(z.int().min(1).optional()).optional().describe('Only tasks from this id on'),
  to: integerOrDigits(z.int().min(1).optional()).optional().describe('Only tasks up to this id'),
  tag,
  projectRoot,
});
type AnalyzeInput = z.infer<typeof analyzeInputSchema>;

const scored = z.object({
  taskId: z.int(),
  taskTitle: z.string(),
  complexityScore: z.int(),
  recommendedSubtasks: z.int(),
});

const analyzeResult = z.object({
  projectRoot: z.string(),
  tag: z.string(),
  tasksAnalyzed: z.int(),
  /** Tasks of `ids` that were not judged, since they are neither pending, in progress nor blocked. */
  skipped: z.array(z.object({ id: z.int(), status: z.enum(STATUSES) })).optional(),
  /** Tasks that the answers left out: an analysis that they have stays, and others have the defaults. */
  leftOut: z.array(z.int()).optional(),
  /** Tasks that were removed while the LLM was at work: they have no analysis. */
  gone: z.array(z.int()).optional(),
  /** Scores without their reasons: complexity_report has those. */
  analyses: z.array(scored),
  summary: z.object({
    highComplexityTasks: z.int(),
    mediumComplexityTasks: z.int(),
    lowComplexityTasks: z.int(),
    tasksToExpand: z.array(z.int()),
  }),
});

/** Judges tasks in batches, side by side; each batch is in the report as soon as it is judged. */
export const analyzeProjectComplexityOperation: ToolOperation<AnalyzeInput, z.infer<typeof analyzeResult>> = {
  name: 'analyze_project_complexity',
  version: 1,
  title: 'Analyze the complexity of tasks',
  category: 'complexity-analysis',
  changes: ['complexity-report'],
  description:
    "Scores the complexity of a tag's tasks that are pending, in progress or blocked and recommends into how many subtasks each is to be split; kept as the " +
    'complexity report, which expand_task and expand_all follow. The LLM call is delegated to you: answer it with agent_llm.',
  input: analyzeInputSchema,
  result: analyzeResult,
  promptText: analyzePromptText,
  nextSteps: [
    'Read the reasons with complexity_report.',
    'Split the tasks with expand_all, or one of them with expand_task.',
  ],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  addsTo: ({ projectRoot }) => projectGrowth(projectRoot),

  *run(input) {
    const { projectRoot, threshold, research = false } = input;
    // Only ids here: what a branch needs it reads itself, so that it is gone from the journal with the branch.
    const found = yield* readProject(projectRoot, (project?: Project) => {
      const { tag, tasks } = openTag(project, projectRoot, input.tag);
      const { analyzed, skipped } = selectTasksToAnalyze(tasks, tag, input);
      const batches = splitIntoBatches(analyzed.map(taskExcerpt), TASKS_AT_ONCE, CHARACTERS_AT_ONCE);
      return {
        tag,
        batches: batches.map((batch) => batch.map(({ id }) => id)),
        ...(skipped.length > 0 ? { skipped } : {}),
      };
    });
    const judged = yield* all(
      found.batches.map((ids) => () => analyzeBatch(ids, found.tag, { projectRoot, threshold, research })),
    );
    const gone = judged.flat().flatMap(({ isGone, taskId }) => (isGone ? [taskId] : []));
    const there = judged.flat().flatMap(({ isGone, ...one }) => (isGone ? [] : [one]));
    const analyses = there.flatMap(({ isDefault, ...one }) => (isDefault ? [] : [one]));
    const leftOut = there.flatMap(({ isDefault, taskId }) => (isDefault ? [taskId] : []));
    const high = analyses.filter(({ complexityScore }) => complexityScore >= 8).length;
    const low = analyses.filter(({ complexityScore }) => complexityScore < 5).length;
    const toExpand = analyses.filter(
      ({ complexityScore, recommendedSubtasks }) => complexityScore >= threshold && recommendedSubtasks > 0,
    );
    return {
      projectRoot,
      tag: found.tag,
      tasksAnalyzed: analyses.length,
      ...(found.skipped === undefined ? {} : { skipped: found.skipped }),
      ...(leftOut.length > 0 ? { leftOut } : {}),
      ...(gone.length > 0 ? { gone } : {}),
      analyses,
      summary: {
        highComplexityTasks: high,
        mediumComplexityTasks: analyses.length - high - low,
        lowComplexityTasks: low,
        tasksToExpand: toExpand.map(({ taskId }) => taskId),
      },
    };
  },

  summarize: ({ tasksAnalyzed, tag, summary, skipped, leftOut = [], gone = [] }) =>
    `Analyzed ${tasksAnalyzed} ${tasksAnalyzed === 1 ? 'task' : 'tasks'} of tag '${tag}'; ` +
    `${summary.tasksToExpand.length} to be split` +
    `${leftOut.length > 0 ? `; the answer left out ${leftOut.join(', ')}` : ''}` +
    `${gone.length > 0 ? `; removed meanwhile: ${gone.join(', ')}` : ''}` +
    `${skipped && skipped.length > 0 ? `; skipped for their status: ${skipped.map(({ id }) => id).join(', ')}` : ''}.`,
};

type Batch = JournaledProject & { readonly batch: readonly TaskExcerpt[] };

/** `isDefault`: the answer left the task out. `isGone`: the task was removed while the LLM was at work. */
type Judged = z.infer<typeof scored> & { readonly isDefault?: true; readonly isGone?: true };

interface Asked {
  readonly projectRoot: string;
  readonly threshold: number;
  readonly research: boolean;
}

function* analyzeBatch(
  asked: readonly number[],
  tag: string,
  { projectRoot, threshold, research }: Asked,
): Program<Judged[]> {
  const found: Batch = yield* readProject(projectRoot, (project: Project | undefined, limits: ReadLimits) => {
    const ids = new Set(asked);
    const tasks = project?.tags.get(tag)?.tasks.filter(({ id }) => ids.has(id)) ?? [];
    const dependencies = [...new Set(tasks.flatMap(({ dependencies }) => dependencies))];
    const query = tasks.map(({ title }) => title).join(' ');
    const wish = { tag, about: asked, dependencies, query };
    const { rules, context } = readProjectContext(project, wish, limits);
    return { batch: tasks.map(taskExcerpt), seen: seenTasks(tasks), rules, context };
  });
  const { batch } = found;
  if (batch.length === 0) return [];
  const ids =
    batch.length === 1
      ? `task ${batch[0]?.id}`
      : `${batch.length} tasks (${batch[0]?.id} to ${batch.at(-1)?.id})`;
  const answer = yield* generateObject({
    ...parametersOfRole(research),
    messages: buildAnalyzeMessages(batch, threshold, found, research),
    summary: `Judge the complexity of ${ids}, tag '${tag}'`,
    schema: analyzeAnswerSchema,
    objectName: 'complexity_analysis',
  });
  const analyses = toOneAnalysisPerTask(batch, answer.complexityAnalysis);
  const { gone } = yield* commitWhenThereIsRoom<{ gone: number[] }>(projectRoot, {
    command: 'merge_report',
    tag,
    threshold,
    research,
    projectRoot,
    analyses,
    seen: found.seen,
  });
  return analyses.map(({ expansionPrompt: _, reasoning: __, ...judged }): Judged => {
    return gone.includes(judged.taskId) ? { ...judged, isGone: true } : judged;
  });
}
