import { canonicalJson } from '@baton/protocol';
import { type FinalState, type FinalTask, hasEnded } from '../checker/final-state.ts';
import { type ProxiedDeployment, TENANT_ID } from './proxied-deployment.ts';
import { historyNow } from '../checker/history.ts';

interface Page {
  readonly tasks: readonly { readonly taskId: string }[];
  readonly nextCursor?: string;
}

interface TaskDocument {
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

const CONCURRENCY = 16;

/** Reads all tasks and projects of the tenant through the operator's REST API. */
export async function readFinalState(deployment: ProxiedDeployment): Promise<FinalState> {
  const base = `/tenants/${TENANT_ID}`;
  const readAt = historyNow();
  const ids = await taskIds(deployment);
  const tasks: FinalTask[] = [];
  const read = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop())
      tasks.push(toFinalTask(await deployment.rest<TaskDocument>('GET', `${base}/tasks/${id}`)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, read));
  const { projects } = await deployment.rest<{ projects: { projectRoot: string }[] }>(
    'GET',
    `${base}/projects`,
  );
  const titles = projects.map(async ({ projectRoot }) => {
    const file = await deployment.rest<Record<string, { tasks: { title: string }[] }>>(
      'GET',
      `${base}/projects/${encodeURIComponent(projectRoot)}`,
    );
    return [projectRoot, Object.values(file).flatMap((tag) => tag.tasks.map(({ title }) => title))] as const;
  });
  const { openTasks } = await deployment.rest<{ openTasks: number }>('GET', base);
  return { readAt, tasks, projects: Object.fromEntries(await Promise.all(titles)), openTasks };
}

async function taskIds(deployment: ProxiedDeployment): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await deployment.rest<Page>('GET', `/tenants/${TENANT_ID}/tasks?cursor=${cursor}`);
    ids.push(...page.tasks.map(({ taskId }) => taskId));
    if (page.nextCursor === undefined) return ids;
    cursor = encodeURIComponent(page.nextCursor);
  }
}

function toFinalTask(whole: TaskDocument): FinalTask {
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
