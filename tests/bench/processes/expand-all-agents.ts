import { type Endpoint, callToolForContent, createProject, answerWithSubtasks } from './project-calls.ts';
import { sendToParent } from './parent-process.ts';
import { closeConnections } from './minimal-http-client.ts';

/**
 * Agents without an LLM: `expand_all` over projects one after the other, answered by four agents that each claim one
 * request with a lease, answer at once and wait until its task no longer works.
 * `expand-all-agents <url> <key> <name> <tasks> <projects>` reports when it has warmed up, then its measurements.
 */
const [url = '', key = '', name = '', tasks = '10', projects = '1'] = process.argv.slice(2);
const AGENTS = 4;
const WARM = { tasks: 20, projects: 4 };
const at: Endpoint = { url, key };
/** The lease of an agent with an LLM. */
const CLAIM = { max: 1, leaseMs: 60_000 };

interface Claimed {
  readonly interactions: readonly { readonly interactionId: string }[];
}

async function expandAll(projectRoot: string, count: number): Promise<void> {
  await callToolForContent(at, 'expand_all', { projectRoot });
  let [left, ended] = [count, false];
  const agent = async () => {
    // Eight requests are open at a time, or all that are left, so that each agent finds one.
    while (left > 0) {
      left--;
      const [claimed] = (await callToolForContent<Claimed>(at, 'pending_interactions', { claim: CLAIM }))
        .interactions;
      if (claimed === undefined) throw new Error('there is nothing to claim');
      ended = (await answerWithSubtasks(at, claimed.interactionId)) === 'completed' || ended;
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, agent));
  if (!ended) throw new Error(`expand_all of '${projectRoot}' did not end`);
}

async function createProjects(prefix: string, count: number, many: number): Promise<string[]> {
  const roots = Array.from({ length: many }, (_, n) => `${prefix}-${n}`);
  for (const root of roots) await createProject(at, root, count);
  return roots;
}

for (const root of await createProjects(`${name}-warm`, WARM.tasks, WARM.projects))
  await expandAll(root, WARM.tasks);
const roots = await createProjects(name, Number(tasks), Number(projects));
sendToParent({});
const begun = performance.now();
for (const root of roots) await expandAll(root, Number(tasks));
const seconds = (performance.now() - begun) / 1_000;
const trips = Number(tasks) * Number(projects);
sendToParent({ trips, perSecond: trips / seconds });
closeConnections();
