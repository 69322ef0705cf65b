import type { AnyJson } from '../../harness/mcp-client.ts';
import { type Cluster, TENANT } from '../cluster/cluster.ts';

/** Evidence against: each call became one task, and each delegation was answered and accepted once. */
export async function duplicateErrors(
  cluster: Cluster,
  operations: ReadonlySet<string>,
  numTasks: number,
): Promise<{ against: string[]; seen: string }> {
  const against: string[] = [];
  const tasks = await fetchTasks(cluster);
  const names = tasks.map(({ operation }) => String(operation)).sort();
  if (names.join() !== [...operations].sort().join()) against.push(`the tasks are ${names.join()}`);
  const all: AnyJson[] = tasks.flatMap(({ interactions }) => interactions);
  const firsts = all.filter(({ attempt }) => attempt === 1).length;
  if (firsts !== numTasks + 3) against.push(`${firsts} requests were made instead of ${numTasks + 3}`);
  for (const { taskId, operation, status, timeline } of tasks) {
    if (status !== 'completed') against.push(`${operation} ${taskId} is ${status}`);
    const answers = timeline.filter(({ event }: AnyJson) => event === 'interaction_answered');
    const ids = new Set(answers.map(({ interactionId }: AnyJson) => interactionId));
    if (ids.size !== answers.length)
      against.push(`${operation} has ${answers.length} answers to ${ids.size} requests`);
  }
  for (const { interactionId, status } of all)
    if (status !== 'answered') against.push(`request ${interactionId} is ${status}`);
  for (const [interactionId, times] of answerCounts(cluster))
    if (times > 1)
      against.push(`request ${interactionId} was answered ${times} times according to the agents`);
  return { against, seen: `${tasks.length} tasks, ${firsts} delegations in ${all.length} requests` };
}

async function fetchTasks(cluster: Cluster): Promise<AnyJson[]> {
  const { tasks } = await cluster.rest('GET', '/tasks', undefined, cluster.key);
  return Promise.all(
    tasks.map(({ taskId }: AnyJson) => cluster.rest('GET', `/tasks/${taskId}`, undefined, cluster.key)),
  );
}

/** How often the agents report an accepted answer, by interaction. */
function answerCounts({ agentEvents }: Cluster): Map<string, number> {
  const times = new Map<string, number>();
  for (const { event, interactionId } of agentEvents)
    if (event === 'answered' || event === 'failed')
      times.set(interactionId, (times.get(interactionId) ?? 0) + 1);
  return times;
}

/** Requests, claims, deadlines, ready tasks and jobs that are left when everything is done. */
export async function openWorkErrors(cluster: Cluster): Promise<string[]> {
  const { interactions } = await cluster.rest('GET', '/interactions?status=pending', undefined, cluster.key);
  const { openTasks } = await cluster.rest('GET', `/tenants/${TENANT}`);
  const sets = ['ready', 'held', 'deadlines', 'pending', 'claims'];
  const sizes = await Promise.all(sets.map((name) => cluster.redis.zcard(`baton:{s0}:t:${TENANT}:${name}`)));
  const { next: _, ...jobs } = await cluster.redis.hgetall(`baton:{s0}:t:${TENANT}:jobs`);
  return [
    ...interactions.map(({ interactionId }: AnyJson) => `request ${interactionId} is pending`),
    ...(openTasks === 0 ? [] : [`${openTasks} tasks count as open`]),
    ...Object.entries(jobs).map(([name, value]) => `job ${name} of the tenant has ${value}`),
    ...sets.flatMap((name, at) => (sizes[at] === 0 ? [] : [`${name} holds ${sizes[at]}`])),
  ];
}
