import type { AnyJson } from '../../harness/mcp-client.ts';
import { checkAnsweredOnce } from '../../faults/checker/answered-once.ts';
import type { JourneyDeployment } from '../deployment/journey-deployment.ts';

/** Evidence against: each call became one task, and each delegation was answered and accepted once. */
export async function checkExactlyOnce(
  deployment: JourneyDeployment,
  operations: ReadonlySet<string>,
  numTasks: number,
): Promise<{ against: string[]; seen: string }> {
  const against: string[] = [];
  const tasks = await deployment.readTasks();
  const names = tasks.map(({ operation }) => String(operation)).sort();
  if (names.join() !== [...operations].sort().join()) against.push(`the tasks are ${names.join()}`);
  const all: AnyJson[] = tasks.flatMap(({ interactions }) => interactions);
  const firsts = all.filter(({ attempt }) => attempt === 1).length;
  if (firsts !== numTasks + 3) against.push(`${firsts} requests were made instead of ${numTasks + 3}`);
  for (const task of tasks) {
    const { taskId, operation, status } = task;
    if (status !== 'completed') against.push(`${operation} ${taskId} is ${status}`);
    against.push(...checkAnsweredOnce(String(operation), task));
  }
  for (const [interactionId, times] of answerCounts(deployment))
    if (times > 1)
      against.push(`request ${interactionId} was answered ${times} times according to the agents`);
  return { against, seen: `${tasks.length} tasks, ${firsts} delegations in ${all.length} requests` };
}

/** How often the agents report an accepted answer, by interaction. */
function answerCounts({ agentEvents }: JourneyDeployment): Map<string, number> {
  const times = new Map<string, number>();
  for (const { event, interactionId } of agentEvents)
    if (event === 'answered' || event === 'failed')
      times.set(interactionId, (times.get(interactionId) ?? 0) + 1);
  return times;
}
