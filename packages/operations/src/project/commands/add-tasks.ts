import { BatonError, truncate } from '@baton/protocol';
import { allItemIds } from '../dependencies/dependency-graph.ts';
import {
  linkNewItems,
  positionsById,
  resolveToNewItemPosition,
} from '../dependencies/new-item-dependencies.ts';
import { findDroppedDependencies } from '../dependencies/dropped-dependencies.ts';
import { remapDependencies } from '../dependencies/remap-dependencies.ts';
import { NEW_ITEM } from '../model/item-uid.ts';
import { type GeneratedTask } from '../model/generated-task.ts';
import {
  createdFor,
  newProject,
  newTag,
  nextTaskId,
  type Project,
  withComplexityReport,
  withTag,
} from '../model/project.ts';
import { listRemarks, type Remarks } from '../model/remarks.ts';
import { tagNotEmptyError } from '../model/project-errors.ts';
import { requireTarget, type MustExist } from '../model/require-existing.ts';
import { type Task, TASK_LIMITS } from '../model/task.ts';

/** Puts an LLM's tasks into a tag; `replace` takes out the tag's own first, but for those that came since the LLM was asked. */
interface AddTasks {
  readonly tag: string;
  readonly mode: 'refuse_if_not_empty' | 'append' | 'replace';
  readonly tasks: readonly GeneratedTask[];
  /**
   * The tag's next free id when the LLM was asked. A dependency at or above it cannot mean a task of the tag, since
   * the LLM saw none there: what stands there by now came from another call.
   */
  readonly seenBelow?: number;
  readonly mustExist?: MustExist | undefined;
}

interface AddedTasks extends Pick<Remarks, 'dependenciesIgnored' | 'droppedDependencies'> {
  readonly tag: string;
  readonly taskIds: readonly number[];
  readonly tasks: readonly Task[];
  readonly created?: 'project' | 'tag';
  /** How many tasks were taken out, and which: those that somebody worked on before the others, 50 at most. */
  readonly replaced?: { readonly count: number; readonly tasks: readonly ReplacedTask[] };
}

export type ReplacedTask = Pick<Task, 'id' | 'title' | 'status'>;

const MAX_REPLACED_SHOWN = 50;

/**
 * The project with the tasks added. They are numbered on from the tag's highest id, by their position and not by
 * their ids, so that neither two concurrent calls nor one answer with doubled ids lose a task. See `linkNewItems` for
 * what dependencies become.
 *
 * @throws BatonError `project_not_found`, `tag_not_found`, `tag_not_empty`, `limit_size`.
 */
export function addTasks(
  project: Project | undefined,
  command: AddTasks,
  now: string,
): { project: Project; added: AddedTasks } {
  const { tag: name, mode } = command;
  requireTarget(command.mustExist, project, name);
  const tag = project?.tags.get(name) ?? newTag(name, now);
  if (mode === 'refuse_if_not_empty' && tag.tasks.length > 0) throw tagNotEmptyError(name, tag.tasks.length);
  const kept = mode === 'replace' ? tasksSince(tag.tasks, command.seenBelow) : tag.tasks;
  if (kept.length + command.tasks.length > TASK_LIMITS.tasksPerTag) throw tooMany(name, kept.length);

  const { linked: tasks, dependenciesIgnored } = numbered(
    command.tasks,
    kept,
    command.seenBelow ?? Number.POSITIVE_INFINITY,
  );
  const changed = {
    ...tag,
    tasks: [...kept, ...tasks],
    metadata: { ...tag.metadata, updated: now },
  };
  const next = withTag(project ?? newProject(name), name, changed);
  return {
    // The numbers begin anew: what was known of the tasks that had them is not about these.
    project: mode === 'replace' ? withComplexityReport(next, name, undefined) : next,
    added: {
      tag: name,
      taskIds: tasks.map(({ id }) => id),
      tasks,
      ...createdFor(project, name),
      ...listRemarks({ dependenciesIgnored, droppedDependencies: findDroppedDependencies(tag.tasks, kept) }),
      ...(mode === 'replace' ? { replaced: replacedTasks(tag.tasks, kept) } : {}),
    },
  };
}

/** The tasks that came since the tag's next free id was `seenBelow`, without dependencies on the others. */
function tasksSince(tasks: readonly Task[], seenBelow = Number.POSITIVE_INFINITY): readonly Task[] {
  const since = tasks.filter(({ id }) => id >= seenBelow);
  return remapDependencies(tasks, { tasks: since, renamed: new Map() });
}

function replacedTasks(tasks: readonly Task[], kept: readonly Task[]) {
  const stays = new Set(kept.map(({ id }) => id));
  const gone = tasks.filter(({ id }) => !stays.has(id));
  const isBegun = ({ status }: Task) => status !== 'pending';
  const shown = [...gone.filter(isBegun), ...gone.filter((task) => !isBegun(task))].slice(
    0,
    MAX_REPLACED_SHOWN,
  );
  return {
    count: gone.length,
    tasks: shown.map(({ id, title, status }) => ({ id, title: truncate(title, 80), status })),
  };
}

function numbered(given: readonly GeneratedTask[], kept: readonly Task[], seenBelow: number) {
  const first = nextTaskId(kept, given.length);
  const known = allItemIds(kept);
  const carriers = positionsById(given);
  const tasks = given.map(
    (task, position): Task => ({
      ...NEW_ITEM,
      id: first + position,
      title: task.title,
      description: task.description,
      details: task.details ?? '',
      testStrategy: task.testStrategy ?? '',
      status: 'pending',
      dependencies: [],
      priority: task.priority ?? 'medium',
      subtasks: [],
    }),
  );
  return linkNewItems(tasks, given, (dependency, position) => {
    const other = resolveToNewItemPosition(dependency, position, carriers);
    if (other !== undefined) return first + other;
    const isSeen = Number.parseInt(String(dependency), 10) < seenBelow && known.has(String(dependency));
    return isSeen ? dependency : undefined;
  });
}

function tooMany(tag: string, there: number): BatonError {
  const { tasksPerTag } = TASK_LIMITS;
  return new BatonError(
    'limit_size',
    `Tag '${tag}' holds ${there} tasks and may hold ${tasksPerTag}: use another tag.`,
    { tag, limit: 'tasksPerTag', most: tasksPerTag },
  );
}
