import { type Project, openTag } from '../project/index.ts';
import { nextTask } from './next-task.ts';
import { countProgress } from './progress.ts';

/**
 * A summary of a project: its metadata, its tags, the progress of one tag and the next task in it.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`.
 */
export function projectStatus(
  project: Project | undefined,
  input: { readonly projectRoot: string; readonly tag?: string | undefined },
) {
  const { existing, tag, tasks } = openTag(project, input.projectRoot, input.tag);
  const { task, message } = nextTask(existing, { projectRoot: input.projectRoot, tag });
  return {
    projectRoot: input.projectRoot,
    about: existing.about,
    currentTag: existing.currentTag,
    tags: [...existing.tags.keys()],
    tag,
    stats: { ...countProgress(tasks), subtasks: countProgress(tasks.flatMap(({ subtasks }) => subtasks)) },
    next: task === null ? null : { id: task.id, title: task.title },
    message,
    rules: existing.rules.length,
    files: existing.files.size,
  };
}
