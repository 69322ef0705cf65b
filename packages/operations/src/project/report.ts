import { z } from 'zod';
import type { Applied } from './applied.ts';
import { type Project, requireProject, requireTag } from './project.ts';
import { taskNumber } from './task-id.ts';

/**
 * What is known of the complexity of a tag's tasks, in the form of claude-task-master's report. One entry per task;
 * a later analysis of a task takes the place of the earlier one.
 */
export const DEFAULT_SCORE = 5;
export const DEFAULT_SUBTASKS = 3;
export const MAX_RECOMMENDED = 50;

export const analysis = z.object({
  taskId: taskNumber,
  taskTitle: z.string(),
  complexityScore: z.int().min(1).max(10),
  recommendedSubtasks: z.int().min(0).max(MAX_RECOMMENDED),
  expansionPrompt: z.string().max(4_000),
  reasoning: z.string().max(4_000),
});
export type Analysis = Readonly<z.infer<typeof analysis>>;

export const complexityReport = z.object({
  meta: z.object({
    generatedAt: z.string(),
    tasksAnalyzed: z.int(),
    totalTasks: z.int(),
    analysisCount: z.int(),
    thresholdScore: z.int(),
    projectName: z.string(),
    usedResearch: z.boolean(),
  }),
  complexityAnalysis: z.array(analysis),
});
export type ComplexityReport = Readonly<z.infer<typeof complexityReport>>;

/** Puts analyses into a tag's report. */
export const mergeReportCommand = z.strictObject({
  command: z.literal('merge_report'),
  tag: z.string(),
  threshold: z.int().min(1).max(10),
  research: z.boolean(),
  projectRoot: z.string(),
  analyses: z.array(analysis),
});

/**
 * The project with the analyses merged into the tag's report, under the titles that the tasks have by now. A task that
 * is gone by now has none, and is named in the outcome.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function mergeReport(
  project: Project | undefined,
  command: z.infer<typeof mergeReportCommand>,
  now: string,
): Applied {
  const existing = requireProject(project);
  const { tasks } = requireTag(existing, command.tag);
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  const before = existing.reports.get(command.tag)?.complexityAnalysis ?? [];
  const entries = new Map(before.map((entry) => [entry.taskId, entry]));
  const gone: number[] = [];
  for (const entry of command.analyses) {
    const taskTitle = titles.get(entry.taskId);
    if (taskTitle === undefined) gone.push(entry.taskId);
    else entries.set(entry.taskId, { ...entry, taskTitle });
  }
  const complexityAnalysis = [...entries.values()].sort((a, b) => a.taskId - b.taskId);
  const report: ComplexityReport = {
    meta: {
      generatedAt: now,
      tasksAnalyzed: command.analyses.length - gone.length,
      totalTasks: tasks.length,
      analysisCount: complexityAnalysis.length,
      thresholdScore: command.threshold,
      projectName: existing.about.name ?? command.projectRoot,
      usedResearch: command.research,
    },
    complexityAnalysis,
  };
  const reports = new Map(existing.reports).set(command.tag, report);
  return { project: { ...existing, reports }, outcome: { meta: report.meta, gone } };
}

/** The report with entries renumbered or, where `to` gives nothing, left out; undefined once none is left. */
export function renumberedReport(
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

/** The project with the report of a tag replaced, or taken out. */
export function withReport(project: Project, tag: string, report: ComplexityReport | undefined): Project {
  if (project.reports.get(tag) === report) return project;
  const reports = new Map(project.reports);
  if (report === undefined) reports.delete(tag);
  else reports.set(tag, report);
  return { ...project, reports };
}
