import { type AnswerBlocks, attachWhatFits } from '../task-edits/attach.ts';
import { unknownDependencyError } from '../model/project-errors.ts';
import { type CommandResult, asJsonOutcome } from '../model/command-result.ts';
import { BatonError } from '@baton/protocol';
import { existingItems } from '../dependencies/dependency-graph.ts';
import type { GeneratedTask } from '../model/generated-task.ts';
import { createdFor, newProject, newTag, nextTaskId, type Project, withTag } from '../model/project.ts';
import { requireTarget, type MustExist } from '../model/require-existing.ts';
import { isGoneItem, type SeenItems } from '../model/item-uid.ts';
import { listRemarks } from '../model/remarks.ts';
import type { Dependency } from '../model/task-id.ts';
import { appendTask, findTaskOrSubtask, type Task, TASK_LIMITS } from '../model/task.ts';

/** Adds one task. The caller's dependencies must exist; what an LLM suggests is left out where it does not. */
interface AddTask extends AnswerBlocks {
  readonly tag: string;
  readonly task: Omit<GeneratedTask, 'id' | 'dependencies' | 'status'>;
  readonly dependencies: readonly Dependency[];
  readonly suggested: readonly Dependency[];
  /** The caller's dependencies as they were when the LLM was asked: what is removed since is left out, too. */
  readonly seen?: SeenItems | undefined;
  /** See `AddTasks`. */
  readonly seenBelow?: number;
  readonly mustExist?: MustExist | undefined;
}

/**
 * The project with the task added under the next free id at the time of the commit, so that two calls at once never
 * get the same one; a project or tag that was not there when the LLM was asked is made.
 *
 * @throws BatonError `project_task_not_found` for a dependency of the caller's, `project_not_found`, `tag_not_found`, `limit_size`.
 */
export function addTask(project: Project | undefined, command: AddTask, now: string): CommandResult {
  const { tag: name, task } = command;
  requireTarget(command.mustExist, project, name);
  const tag = project?.tags.get(name) ?? newTag(name, now);
  const { tasksPerTag } = TASK_LIMITS;
  if (tag.tasks.length >= tasksPerTag)
    throw new BatonError('limit_size', `Tag '${name}' holds ${tasksPerTag} tasks, and may not hold more.`, {
      limit: 'tasksPerTag',
      most: tasksPerTag,
    });
  const isThere = (dependency: Dependency) =>
    command.seen?.[`${dependency}`] === undefined ||
    !isGoneItem(command.seen, `${dependency}`, findTaskOrSubtask(tag.tasks, `${dependency}`));
  const own = command.dependencies.filter(isThere);
  const known = existingItems(tag.tasks, [...own, ...command.suggested]);
  for (const dependency of own)
    if (!known.has(`${dependency}`)) throw unknownDependencyError(name, `${dependency}`);
  const seenBelow = command.seenBelow ?? Number.POSITIVE_INFINITY;
  const suggested = command.suggested.filter(
    (dependency) =>
      known.has(`${dependency}`) && Number.parseInt(`${dependency}`, 10) < seenBelow && isThere(dependency),
  );
  const id = nextTaskId(tag.tasks);
  const dependencies: Dependency[] = [...new Set([...own, ...suggested])];
  const dependenciesIgnored = [...new Set([...command.dependencies, ...command.suggested])]
    .filter((dependency) => !dependencies.includes(dependency))
    .map((dependency) => `${id} → ${dependency}`);
  const made: Task = {
    id,
    title: task.title,
    description: task.description,
    details: task.details ?? '',
    testStrategy: task.testStrategy ?? '',
    status: 'pending',
    dependencies: dependencies.slice(0, TASK_LIMITS.dependencies),
    priority: task.priority ?? 'medium',
    subtasks: [],
  };
  const tasks = attachWhatFits(appendTask(tag.tasks, made), { task: made.id }, command.attachments, now);
  const changed = { ...tag, tasks, metadata: { ...tag.metadata, updated: now } };
  return {
    project: withTag(project ?? newProject(name), name, changed),
    outcome: asJsonOutcome({
      tag: name,
      taskId: made.id,
      task: tasks.at(-1) ?? made,
      ...createdFor(project, name),
      ...listRemarks({ dependenciesIgnored }),
    }),
  };
}
