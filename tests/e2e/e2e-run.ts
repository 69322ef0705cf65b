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
  faults: 'workers, agents and a replica are killed',
  finished: 'the workflow ends with every item done',
  rules: 'the project keeps its rules after every step, and done items never change',
  schemas: "every result fits its tool's output schema",
  once: 'each call becomes one task, each delegation is accepted once, each commit is applied once',
  closed: 'nothing is left open',
  exported: 'the exported file fits the published schema, and is the same project after an import',
} as const;
type Name = keyof typeof CLAIMS;

/** A claim about a run with the evidence against it: none, if it holds. */
export interface Claim {
  readonly name: Name | 'completed';
  readonly text: string;
  readonly against: readonly string[];
}

export interface EndToEndResult {
  readonly claims: readonly Claim[];
  /** How long the run and its steps took. */
  readonly durations: string;
}

/** What a check looked at, and the evidence against its claim. */
interface CheckResult {
  readonly seen: string;
  readonly against: readonly string[];
}

/** Runs one seed: from a document to a finished project, on a cluster of its own, with the seed's faults. */
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
      claims: [{ name: 'completed', text: 'the run completes', against: [told(error)] }],
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
  const checker = new ProjectChecker(cluster, PROJECT);
  const client = new RetryingMcpClient(cluster.urls, cluster.key, (tool, replica) => {
    if (tool === 'set_task_status') events.record('status-set', `gateway-${replica}`);
    else if (OPERATIONS.has(tool)) events.record('operation-called', `gateway-${replica}`);
    return () => injector.onAttemptEnd();
  });
  await client.open();
  const failures: string[] = [];
  await runProjectWorkflow(plan, client, checker).catch((error: unknown) =>
    failures.push(told(error), ...cluster.lastOutput),
  );
  await client.close();
  await cluster.waitUntilRestarted();

  const { tasks, subtasks } = checker.counts;
  const items = tasks + subtasks;
  const checks: Record<Name, () => CheckResult | Promise<CheckResult>> = {
    faults: () => ({ seen: injector.errorText, against: injector.missingFaults }),
    finished: () => {
      const undone =
        checker.openItems === 0 && items > 0 ? [] : [`${checker.openItems} of ${items} are not done`];
      const seen = `${plan.document}: ${tasks} tasks, ${subtasks} subtasks`;
      return { seen, against: [...failures, ...undone] };
    },
    rules: () => ({ seen: `${checker.steps} steps`, against: checker.violations }),
    schemas: () => client.schemaChecks,
    once: async () => {
      const { seen, against } = await duplicateErrors(cluster, OPERATIONS, plan.numTasks);
      const more = `${events.count('llm-called')} LLM calls, ${checker.commits} commits`;
      return { seen: `${seen}, ${more}`, against: [...against, ...checker.commitErrors] };
    },
    closed: async () => ({
      seen: 'requests, claims, leases, deadlines, tasks',
      against: await openWorkErrors(cluster),
    }),
    exported: async () => ({
      seen: `${items} items`,
      against: await roundTripErrors(cluster, checker, PROJECT),
    }),
  };
  const claims: Claim[] = [];
  for (const [name, check] of Object.entries(checks) as [Name, () => CheckResult | Promise<CheckResult>][]) {
    const { seen, against } = await Promise.resolve()
      .then(check)
      .catch((error: unknown) => ({ seen: 'the check threw', against: [told(error)] }));
    claims.push({ name, text: `${CLAIMS[name]} (${seen})`, against });
  }
  const stages = [...checker.durations].map(([tool, ms]) => `${tool} ${seconds(ms)}`).join(', ');
  const all = seconds(performance.now() - begun);
  return { claims, durations: `${all} s (start ${seconds(ready - begun)}, ${stages})` };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
