import { type CommandResult } from '../model/command-result.ts';
import { remapReportTaskIds } from '../model/complexity-report.ts';
import { type Project, withComplexityReport } from '../model/project.ts';
import { formatTaskRef } from '../model/task-id.ts';
import { findDroppedDependencies } from '../dependencies/dropped-dependencies.ts';
import { listRemarks } from '../model/remarks.ts';
import { remapDependencies } from '../dependencies/remap-dependencies.ts';
import { editTasksInTag } from '../task-edits/edit-tasks-in-tag.ts';
import { requireItemRefs, titleAt, withoutListedSubtasks } from '../task-edits/item-refs.ts';

/**
 * Takes tasks and subtasks out for good; nothing waits for them any more.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `project_task_not_found`, `invalid_arguments`.
 */
export function removeTasks(
  project: Project | undefined,
  command: { readonly id: string; readonly tag?: string | undefined },
  now: string,
): CommandResult {
  const applied = editTasksInTag(project, command.tag, now, (tasks, name) => {
    const refs = requireItemRefs(command.id, tasks, name);
    const whole = new Set(refs.flatMap(({ task, subtask }) => (subtask === undefined ? [task] : [])));
    const left = withoutListedSubtasks(tasks, refs).filter(({ id }) => !whole.has(id));
    const removed = refs.map((ref) => ({ id: formatTaskRef(ref), title: titleAt(tasks, ref) }));
    const next = remapDependencies(tasks, { tasks: left, renamed: new Map() });
    return {
      tasks: next,
      outcome: { removed, ...listRemarks({ droppedDependencies: findDroppedDependencies(tasks, next) }) },
    };
  });
  return dropMissingReportEntries(applied);
}

/** The complexity of a task that is gone is forgotten: another may get its number. */
function dropMissingReportEntries(applied: CommandResult): CommandResult {
  const name = applied.outcome['tag'] as string;
  const report = applied.project.reports.get(name);
  if (report === undefined) return applied;
  const there = new Set(applied.project.tags.get(name)?.tasks.map(({ id }) => id));
  const left = remapReportTaskIds(report, (id) => (there.has(id) ? id : undefined));
  return { ...applied, project: withComplexityReport(applied.project, name, left) };
}
