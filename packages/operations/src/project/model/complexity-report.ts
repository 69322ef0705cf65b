import { z } from 'zod';
import { taskNumberSchema } from './task-id.ts';

/**
 * The complexity of a tag's tasks, in the form of claude-task-master's report. One entry per task;
 * a later analysis of a task takes the place of the earlier one.
 */
export const DEFAULT_COMPLEXITY_SCORE = 5;
export const DEFAULT_SUBTASK_COUNT = 3;
export const MAX_RECOMMENDED_SUBTASKS = 50;

export const taskAnalysisSchema = z.object({
  taskId: taskNumberSchema,
  taskTitle: z.string(),
  complexityScore: z.int().min(1).max(10),
  recommendedSubtasks: z.int().min(0).max(MAX_RECOMMENDED_SUBTASKS),
  expansionPrompt: z.string().max(4_000),
  reasoning: z.string().max(4_000),
});
export type TaskAnalysis = Readonly<z.infer<typeof taskAnalysisSchema>>;

export const complexityReportSchema = z.object({
  meta: z.object({
    generatedAt: z.string(),
    tasksAnalyzed: z.int(),
    totalTasks: z.int(),
    analysisCount: z.int(),
    thresholdScore: z.int(),
    projectName: z.string(),
    usedResearch: z.boolean(),
  }),
  complexityAnalysis: z.array(taskAnalysisSchema),
});
export type ComplexityReport = Readonly<z.infer<typeof complexityReportSchema>>;

/** The report with entries renumbered, without those for which `to` returns undefined; undefined when none is left. */
export function remapReportTaskIds(
  report: ComplexityReport,
  to: (taskId: number) => number | undefined,
): ComplexityReport | undefined {
  const entries = report.complexityAnalysis.flatMap((entry) => {
    const taskId = to(entry.taskId);
    return taskId === undefined ? [] : [taskId === entry.taskId ? entry : { ...entry, taskId }];
  });
  if (entries.length === 0) return undefined;
  const same =
    entries.length === report.complexityAnalysis.length &&
    entries.every((entry, at) => entry === report.complexityAnalysis[at]);
  if (same) return report;
  return { meta: { ...report.meta, analysisCount: entries.length }, complexityAnalysis: entries };
}
