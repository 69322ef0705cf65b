import { FaultInjector } from './cluster/fault-injector.ts';
import { Cluster } from './cluster/cluster.ts';
import { startFlakyLlm } from './cluster/flaky-llm.ts';
import { openWorkErrors, duplicateErrors } from './checks/duplicate-errors.ts';
import { type SeededPlan, createPlan } from './cluster/seeded-plan.ts';
import { EventCounter } from './cluster/event-counter.ts';
import { RetryingMcpClient } from './retrying-mcp-client.ts';
import { roundTripErrors } from './checks/round-trip-errors.ts';
import { OPERATIONS, PROJECT, runProjectWorkflow } from './project-workflow.ts';
import { ProjectChecker } from './checks/project-checker.ts';

const CLAIMS = {
  struck: 'workers, agents and a replica are killed',
  walked: 'the walk reaches its end, everything is done',
  held: 'the project holds its rules after every step, and done work is not touched',
  fitted: "every result fits its tool's output schema",
  once: 'each call becomes one task, each delegation is taken once, each commit lands once',
  closed: 'nothing is left open',
  returned: 'the exported file fits the published schema, and comes back as the same project',
} as const;
type Name = keyof typeof CLAIMS;

/** What a journey claims, with what speaks against it: nothing, if it holds. */
export interface Claim {
  readonly name: Name | 'made';
  readonly text: string;
  readonly against: readonly string[];
}

export interface EndToEndResult {
  readonly claims: readonly Claim[];
  /** How long it took, and its stages. */
  readonly durations: string;
}

/** What was looked at for a claim, and what speaks against it. */
interface CheckResult {
  readonly seen: string;
  readonly against: readonly string[];
}

/** One journey from a document to work that is done, on processes of its own, with the strikes of its seed. */
export async function runEndToEnd(seed: number, entry: string): Promise<EndToEndResult> {
  const begun = performance.now();
  const plan = createPlan(seed);
  const events = new EventCounter();
  const llm = await startFlakyLlm(seed, events);
  let cluster: Cluster | undefined;
  try {
    cluster = await Cluster.start(entry, llm, events);
    return await runPlan(plan, cluster, events, begun);
  } catch (error) {
    return {
      claims: [{ name: 'made', text: 'the journey can be made', against: [told(error)] }],
      durations: '',
    };
  } finally {
    await cluster?.stop();
    await llm.close();
  }
}

async function runPlan(
  plan: SeededPlan,
  cluster: Cluster,
  events: EventCounter,
  begun: number,
): Promise<EndToEndResult> {
  const ready = performance.now();
  const injector = new FaultInjector(plan, events, cluster);
  const project = new ProjectChecker(cluster, PROJECT);
  const client = new RetryingMcpClient(cluster.urls, cluster.key, (tool, replica) => {
    if (tool === 'set_task_status') events.record('marking', `gateway-${replica}`);
    else if (OPERATIONS.has(tool)) events.record('starting', `gateway-${replica}`);
    return () => injector.onAttemptEnd();
  });
  await client.open();
  const broke: string[] = [];
  await runProjectWorkflow(plan, client, project).catch((error: unknown) =>
    broke.push(told(error), ...cluster.lastOutput),
  );
  await client.close();
  await cluster.waitUntilRestarted();

  const { tasks, subtasks } = project.counts;
  const items = tasks + subtasks;
  const looks: Record<Name, () => CheckResult | Promise<CheckResult>> = {
    struck: () => ({ seen: injector.errorText, against: injector.missingFaults }),
    walked: () => {
      const undone =
        project.openItems === 0 && items > 0 ? [] : [`${project.openItems} of ${items} are not done`];
      const seen = `${plan.document}: ${tasks} tasks, ${subtasks} subtasks`;
      return { seen, against: [...broke, ...undone] };
    },
    held: () => ({ seen: `${project.steps} steps`, against: project.violations }),
    fitted: () => client.schemaChecks,
    once: async () => {
      const { seen, against } = await duplicateErrors(cluster, OPERATIONS, plan.numTasks);
      const more = `${events.count('asked')} LLM calls, ${project.commits} commits`;
      return { seen: `${seen}, ${more}`, against: [...against, ...project.commitErrors] };
    },
    closed: async () => ({
      seen: 'requests, claims, leases, deadlines, tasks',
      against: await openWorkErrors(cluster),
    }),
    returned: async () => ({
      seen: `${items} items`,
      against: await roundTripErrors(cluster, project, PROJECT),
    }),
  };
  const claims: Claim[] = [];
  for (const [name, look] of Object.entries(looks) as [Name, () => CheckResult | Promise<CheckResult>][]) {
    const { seen, against } = await Promise.resolve()
      .then(look)
      .catch((error: unknown) => ({ seen: 'it could not be looked at', against: [told(error)] }));
    claims.push({ name, text: `${CLAIMS[name]} (${seen})`, against });
  }
  const stages = [...project.durations].map(([tool, ms]) => `${tool} ${seconds(ms)}`).join(', ');
  const all = seconds(performance.now() - begun);
  return { claims, durations: `${all} s (start ${seconds(ready - begun)}, ${stages})` };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
