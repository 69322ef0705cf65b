import type { ReadLimits } from '@baton/engine';
import {
  type Dependency,
  parseTaskRef,
  type Project,
  type Task,
  taskFinder,
  taskIdsOf,
} from '../project/index.ts';
import { definedFields } from '../schema/defined-fields.ts';
import { findRelatedTasks } from './related-tasks.ts';
import { briefForm, type ContextItem, fullForm, mediumForm, shortForm } from './task-forms.ts';
import { TokenBudget } from './token-budget.ts';

/**
 * What a request tells of the project beside the tasks and documents that it is about, in the order of importance in which
 * the budget is spent. It is journaled, so the budget bounds the journal as well.
 */
export interface ProjectContext {
  readonly techStack?: string;
  readonly requirements?: string;
  /** The tasks and subtasks that the work rests on, and in short what those rest on. */
  readonly needed?: readonly object[];
  /** The tasks most like it. */
  readonly related?: readonly object[];
  /** The tasks that wait for it. */
  readonly waiting?: readonly object[];
  /** What was done last. */
  readonly done?: readonly object[];
  /** What found no room, in phrases without any text of the project. */
  readonly omitted?: readonly string[];
}

export interface ContextWish {
  readonly tag: string;
  /** The tasks that the request shows itself. */
  readonly about: readonly number[];
  /** What the work waits for: tasks (3), or subtasks by their outside ids ("5.2"). */
  readonly dependencies: readonly Dependency[];
  /** In whose words similar tasks are looked for. */
  readonly query: string;
  /** How many similar tasks to show. */
  readonly related?: number;
  /** How many of the latest tasks to show by title. */
  readonly plan?: number;
}

interface KnownOfProject {
  readonly rules?: string;
  /** The latest other tasks by id and title. */
  readonly plan: readonly object[];
  readonly context: ProjectContext;
}

/** The part of what is left that each may take at most; what it leaves is there for those after it. */
const SHARE = {
  rules: 0.4,
  techStack: 0.3,
  requirements: 0.4,
  needed: 0.5,
  indirect: 0.2,
  related: 0.6,
  waiting: 0.3,
  done: 0.5,
  plan: 1,
};
const MOST_NEEDED = 20;
const MOST_INDIRECT = 5;
const MOST_RELATED = 5;
const MOST_WAITING = 10;
const MOST_DONE = 10;

/** What there is to tell of the project in `promptTokens`, by estimate; without a wish nothing of its tasks. */
export function readProjectContext(
  project: Project | undefined,
  wish: ContextWish | undefined,
  { promptTokens }: ReadLimits,
): KnownOfProject {
  if (project === undefined) return { plan: [], context: {} };
  const budget = new TokenBudget(promptTokens);
  const omitted: string[] = [];
  const text = (what: string, whole: string | undefined, share: number) => {
    if (whole === undefined || whole === '') return undefined;
    const taken = budget.takeText(whole, share);
    if (taken === whole) return whole;
    omitted.push(`the end of ${what} (${taken?.length ?? 0} of ${whole.length} characters are shown)`);
    return taken && `${taken}…`;
  };
  const { techStack, requirements } = project.about;
  const texts = {
    rules: text('the rules', rulesText(project), SHARE.rules),
    techStack: text('the tech stack', techStack, SHARE.techStack),
    requirements: text('the requirements', requirements, SHARE.requirements),
  };
  const tasks = (wish && project.tags.get(wish.tag)?.tasks) ?? [];
  const { plan = [], ...lists } = wish && tasks.length > 0 ? takeLists(tasks, wish, budget, omitted) : {};
  const { rules, ...about } = definedFields(texts);
  return {
    ...definedFields({ rules }),
    plan,
    context: { ...about, ...lists, ...(omitted.length > 0 ? { omitted } : {}) },
  };
}

/** The project's rules, before them the language of its answers (see `LANGUAGE_RULE`). */
function rulesText({ rules, about: { language } }: Pick<Project, 'rules' | 'about'>): string {
  return [...(language === undefined ? [] : [`Language of answers: ${language}`]), ...rules].join('\n');
}

type Lists = Pick<ProjectContext, 'needed' | 'related' | 'waiting' | 'done'> &
  Partial<Pick<KnownOfProject, 'plan'>>;

/** A task stands in the first list that shows it. */
function takeLists(
  tasks: readonly Task[],
  { about: ids, dependencies, query, related: mostRelated = MOST_RELATED, plan: mostPlan = 0 }: ContextWish,
  budget: TokenBudget,
  omitted: string[],
): Lists {
  const about = new Set(ids);
  const seen = new Set<number | string>(ids);
  const lists: Record<keyof Lists, object[]> = { needed: [], related: [], waiting: [], done: [], plan: [] };
  const take = (
    list: keyof Lists,
    what: string,
    items: readonly ContextItem[],
    most: number,
    forms: readonly Form[],
    share: number,
    all = items.length,
  ) => {
    const chosen = items.slice(0, most);
    const { shown, shortened, left } = budget.takeItems(chosen, forms, share);
    for (const { id } of chosen) seen.add(id);
    lists[list].push(...shown);
    const missing = left + all - chosen.length;
    if (shortened > 0) omitted.push(`texts of ${shortened} of the ${what}`);
    if (missing > 0) omitted.push(`${missing} of the ${what}`);
  };
  const unseen = ({ id }: ContextItem) => !seen.has(id);

  const direct = neededBy(dependencies, tasks).filter(unseen);
  take(
    'needed',
    'tasks that it depends on',
    direct,
    MOST_NEEDED,
    [fullForm, mediumForm, shortForm, briefForm],
    SHARE.needed,
  );
  const indirect = neededByThose(direct, tasks).filter(unseen);
  take(
    'needed',
    'tasks that those depend on',
    indirect.slice(0, MOST_INDIRECT),
    MOST_INDIRECT,
    [shortForm, briefForm],
    SHARE.indirect,
  );
  const found = findRelatedTasks(tasks, query, seen, about, mostRelated);
  take(
    'related',
    'similar tasks',
    found.tasks,
    mostRelated,
    [mediumForm, shortForm, briefForm],
    SHARE.related,
  );
  if (found.searched < tasks.length)
    omitted.push(`similar tasks among ${tasks.length - found.searched} that were not searched`);
  if (about.size > 0) {
    const waits = (task: Task) => task.dependencies.some((id) => about.has(id as number)) && unseen(task);
    const waiting = tasks.filter(waits);
    take('waiting', 'tasks that wait for it', waiting, MOST_WAITING, [shortForm, briefForm], SHARE.waiting);
  }
  const done = lastOf(tasks, MOST_DONE, (task) => task.status === 'done' && unseen(task));
  take(
    'done',
    'other tasks that are done',
    done.last,
    MOST_DONE,
    [shortForm, briefForm],
    SHARE.done,
    done.all,
  );
  if (mostPlan > 0) {
    const taskIds = taskIdsOf(tasks);
    const others = lastOf(tasks, mostPlan, (_task, at) => !seen.has(taskIds[at] ?? 0));
    take('plan', 'other tasks', others.last, mostPlan, [briefForm], SHARE.plan, others.all);
    lists.plan.reverse();
  }
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

type Form = (item: ContextItem) => object;

/** The last ones that are wanted, the last one first, at most `most`; and how many are wanted in all. */
function lastOf(
  tasks: readonly Task[],
  most: number,
  isWanted: (task: Task, at: number) => boolean,
): { last: Task[]; all: number } {
  const last: Task[] = [];
  let all = 0;
  for (let at = tasks.length - 1; at >= 0; at--) {
    const task = tasks[at] as Task;
    if (isWanted(task, at) && all++ < most) last.push(task);
  }
  return { last, all };
}

/** Dependencies that exist, as they are written outside. */
function neededBy(dependencies: readonly Dependency[], tasks: readonly Task[]): ContextItem[] {
  const find = taskFinder(tasks, dependencies.length);
  return dependencies.flatMap((dependency): ContextItem[] => {
    const ref = parseTaskRef(`${dependency}`);
    const task = ref && find(ref.task);
    if (ref?.subtask === undefined) return task === undefined ? [] : [task];
    const part = task?.subtasks.find(({ id }) => id === ref.subtask);
    return part === undefined ? [] : [{ ...part, id: `${dependency}` }];
  });
}

/** What those tasks depend on, one step on; of subtasks it is left out. */
function neededByThose(items: readonly ContextItem[], tasks: readonly Task[]): ContextItem[] {
  const ids = items.flatMap(({ id, dependencies }) => (typeof id === 'number' ? dependencies : []));
  return neededBy([...new Set(ids)], tasks);
}
