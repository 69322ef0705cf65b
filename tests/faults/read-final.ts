import { canonicalJson } from '@baton/protocol';
import { type FinalState, type FinalTask, hasEnded } from './final-state.ts';
import { type Fleet, TENANT } from './fleet.ts';
import { clock } from './history.ts';

interface Page {
  readonly tasks: readonly { readonly taskId: string }[];
  readonly nextCursor?: string;
}

interface Whole {
  readonly taskId: string;
  readonly operation: string;
  readonly status: string;
  readonly lastUpdatedAt: string;
  readonly expiresAt: string;
  readonly input: { readonly n?: number };
  readonly result?: object;
  readonly error?: { readonly code: string };
  readonly interactions: readonly {
    readonly interactionId: string;
    readonly attempt: number;
    readonly status: string;
  }[];
}

const AT_ONCE = 16;

/** Reads everything of the tenant as the operator sees it. */
export async function readFinal(fleet: Fleet): Promise<FinalState> {
  const base = `/tenants/${TENANT}`;
  const readAt = clock();
  const ids = await taskIds(fleet);
  const tasks: FinalTask[] = [];
  const read = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop())
      tasks.push(finalTask(await fleet.rest<Whole>('GET', `${base}/tasks/${id}`)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  const { projects } = await fleet.rest<{ projects: { projectRoot: string }[] }>('GET', `${base}/projects`);
  const titles = projects.map(async ({ projectRoot }) => {
    const file = await fleet.rest<Record<string, { tasks: { title: string }[] }>>(
      'GET',
      `${base}/projects/${encodeURIComponent(projectRoot)}`,
    );
    return [projectRoot, Object.values(file).flatMap((tag) => tag.tasks.map(({ title }) => title))] as const;
  });
  const { openTasks } = await fleet.rest<{ openTasks: number }>('GET', base);
  return { readAt, tasks, projects: Object.fromEntries(await Promise.all(titles)), openTasks };
}

async function taskIds(fleet: Fleet): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await fleet.rest<Page>('GET', `/tenants/${TENANT}/tasks?cursor=${cursor}`);
    ids.push(...page.tasks.map(({ taskId }) => taskId));
    if (page.nextCursor === undefined) return ids;
    cursor = encodeURIComponent(page.nextCursor);
  }
}

function finalTask(whole: Whole): FinalTask {
  const { taskId, operation, status, lastUpdatedAt, expiresAt, input, result, error, interactions } = whole;
  const end = result ?? error;
  return {
    taskId,
    operation,
    status,
    endedAt: hasEnded(status) ? Date.parse(lastUpdatedAt) : 0,
    expiresAt: Date.parse(expiresAt),
    ...(end === undefined ? {} : { end: canonicalJson(end) }),
    ...(error === undefined ? {} : { errorCode: error.code }),
    width: operation === 'bench_fan' ? (input.n ?? 1) : 1,
    interactions,
  };
}
