import type { RetryingClient } from '../faults/clients/retrying-client.ts';
import type { AnyJson } from '../harness/mcp-client.ts';

const PATIENCE_MS = 90_000;

/** Starts a delegation under a key; returns its directive. */
export async function park(client: RetryingClient, args: object, key: string): Promise<AnyJson> {
  const parked = await client.call('parse_prd', { prd: 'A shop that sells tea.', ...args }, key);
  if (parked.status !== 'pending_agent_llm_action')
    throw new Error(`parse_prd did not park: ${JSON.stringify(parked)}`);
  return parked;
}

/** Answers a delegation; returns the status of its task once it no longer works. */
export async function answer(client: RetryingClient, parked: AnyJson, data: object): Promise<AnyJson> {
  const { interactionId, taskId } = parked;
  const agentLLMResponse = { status: 'success', data };
  const end = performance.now() + PATIENCE_MS;
  let { outcome } = await client.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 10_000 });
  while (outcome.status === 'working') {
    if (performance.now() > end) throw new Error(`task ${taskId} is still working`);
    outcome = await client.call('task_status', { taskId, waitMs: 10_000 });
  }
  return outcome;
}

/** An LLM's answer: a task list with these titles. */
export function taskListAnswer(titles: readonly string[], description = 'To be built.') {
  return { tasks: titles.map((title, index) => ({ id: index + 1, title, description })) };
}

/** Evidence against: the projects together have a task of each title, once. */
export async function findLostAndDuplicated(
  client: RetryingClient,
  projects: readonly string[],
  wanted: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  const against: string[] = [];
  for (const projectRoot of projects) {
    const tasks: AnyJson[] = [];
    for (let after: AnyJson; ; ) {
      const page = await client.call('get_tasks', { projectRoot, ...(after === undefined ? {} : { after }) });
      tasks.push(...page.tasks);
      after = page.nextAfter;
      if (after === undefined) break;
    }
    if (new Set(tasks.map(({ id }) => id)).size !== tasks.length)
      against.push(`${projectRoot} has ids twice`);
    found.push(...tasks.map(({ title }) => title as string));
  }
  const [expected, seen] = [new Set(wanted), new Set(found)];
  return [
    ...against,
    ...wanted.filter((title) => !seen.has(title)).map((title) => `'${title}' is missing`),
    ...found.filter((title) => !expected.has(title)).map((title) => `'${title}' was never written`),
    ...found.filter((title, at) => found.indexOf(title) !== at).map((title) => `'${title}' is there twice`),
  ];
}
