import { requireProject, requireTag } from '../model/require-existing.ts';
import { type Project, resolveTag, withTag } from '../model/project.ts';
import type { Task } from '../model/task.ts';
import { type CommandResult, asJsonOutcome } from '../model/command-result.ts';

/**
 * Applies `edit` to the tasks of a tag that must exist. Tasks that come back as they were leave the project as it was;
 * otherwise the tag is `updated` now. The outcome is what `edit` gives, with the tag's name.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, and what `edit` refuses with.
 */
export function editTasksInTag(
  project: Project | undefined,
  tag: string | undefined,
  now: string,
  edit: (
    tasks: readonly Task[],
    name: string,
  ) => { readonly tasks: readonly Task[]; readonly outcome: object },
): CommandResult {
  const existing = requireProject(project);
  const name = resolveTag(existing, tag);
  const before = requireTag(existing, name);
  const { tasks, outcome } = edit(before.tasks, name);
  const same = tasks.length === before.tasks.length && tasks.every((task, at) => task === before.tasks[at]);
  const metadata = { ...before.metadata, updated: now };
  return {
    project: same ? existing : withTag(existing, name, { ...before, tasks, metadata }),
    outcome: asJsonOutcome({ tag: name, ...outcome }),
  };
}

/** The tasks with one of them replaced; the others keep their identity. */
export function replaceTask(tasks: readonly Task[], changed: Task): readonly Task[] {
  return tasks.map((task) => (task.id === changed.id ? changed : task));
}
