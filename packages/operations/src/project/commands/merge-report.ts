import type { CommandResult } from '../model/command-result.ts';
import type { TaskAnalysis, ComplexityReport } from '../model/complexity-report.ts';
import { requireProject, requireTag } from '../model/require-existing.ts';
import { isSeenItem, type SeenItems } from '../model/item-uid.ts';
import type { Project } from '../model/project.ts';
import { taskFinder } from '../model/task.ts';

/** Puts analyses into a tag's report. */
interface MergeReport {
  readonly tag: string;
  readonly threshold: number;
  readonly research: boolean;
  readonly projectRoot: string;
  /** `isDefault`: nobody has judged the task; an analysis that it has stays. */
  readonly analyses: readonly (TaskAnalysis & { readonly isDefault?: true })[];
  readonly seen?: SeenItems | undefined;
}

/**
 * The project with the analyses merged into the tag's report, under the titles that the tasks have by now. A task that
 * is gone by now has none, and is named in the outcome.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function mergeReport(project: Project | undefined, command: MergeReport, now: string): CommandResult {
  const existing = requireProject(project);
  const { tasks } = requireTag(existing, command.tag);
  const find = taskFinder(tasks, command.analyses.length);
  const before = existing.reports.get(command.tag)?.complexityAnalysis ?? [];
  const entries = new Map(before.map((entry) => [entry.taskId, entry]));
  const gone: number[] = [];
  for (const { isDefault, ...entry } of command.analyses) {
    const task = find(entry.taskId);
    if (task === undefined || !isSeenItem(command.seen, `${entry.taskId}`, task)) gone.push(entry.taskId);
    else if (!isDefault || !entries.has(entry.taskId))
      entries.set(entry.taskId, { ...entry, taskTitle: task.title });
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
