import { FaultInjector } from './faults/fault-injector.ts';
import { JourneyDeployment } from './deployment/journey-deployment.ts';
import { startFlakyLlm } from './deployment/flaky-llm.ts';
import { checkExactlyOnce } from './checks/exactly-once.ts';
import { checkNothingLeftOpen } from './checks/nothing-left-open.ts';
import { type JourneyPlan, createJourneyPlan } from './faults/journey-plan.ts';
import { TriggerEventEmitter } from './faults/trigger-event-emitter.ts';
import { RetryingClient } from '../faults/clients/retrying-client.ts';
import { checkExportRoundTrip } from './checks/export-round-trip.ts';
import { WORKFLOW_OPERATIONS, PROJECT_ROOT, runProjectWorkflow } from './project-workflow.ts';
import { ProjectChecker } from './checks/project-checker.ts';

const CHECKS = {
  faults: 'workers, agents and a replica are killed',
  finished: 'the workflow ends with every item done',
  rules: 'the project keeps its rules after every step, and done items never change',
  once: 'each call becomes one task, each delegation is accepted once, each commit is applied once',
  closed: 'nothing is left open',
  stored: 'every stored project keeps its invariants',
  exported: 'the exported file fits the published schema, and is the same project after an import',
} as const;
type Name = keyof typeof CHECKS;

/** A check of a run with the evidence against it: none, if it passed. */
export interface JourneyCheck {
  readonly name: Name | 'completed';
  readonly text: string;
  readonly against: readonly string[];
}

export interface JourneyResult {
  readonly checks: readonly JourneyCheck[];
  /** How long the run and its steps took. */
  readonly durations: string;
}

/** What a check looked at, and the evidence against it. */
interface CheckResult {
  readonly seen: string;
  readonly against: readonly string[];
}

/** Runs one seed: from a document to a finished project, on a deployment of its own, with the seed's faults. */
export async function runJourney(seed: number, entry: string): Promise<JourneyResult> {
  const begun = performance.now();
  const plan = createJourneyPlan(seed);
  const events = new TriggerEventEmitter();
  const llm = await startFlakyLlm(seed, events);
  let deployment: JourneyDeployment | undefined;
  try {
    deployment = await JourneyDeployment.start(entry, llm, events);
    return await runPlan(plan, deployment, events, begun);
  } catch (error) {
    return {
      checks: [{ name: 'completed', text: 'the run completes', against: [told(error)] }],
      durations: '',
    };
  } finally {
    await deployment?.stop();
    await llm.close();
  }
}

async function runPlan(
  plan: JourneyPlan,
  deployment: JourneyDeployment,
  events: TriggerEventEmitter,
  begun: number,
): Promise<JourneyResult> {
  const ready = performance.now();
  const injector = new FaultInjector(plan, events, deployment);
  const checker = new ProjectChecker(deployment, PROJECT_ROOT);
  const client = new RetryingClient(deployment.urls, deployment.key, (tool, replica) => {
    if (tool === 'set_task_status') events.record('status-set', `gateway-${replica}`);
    else if (WORKFLOW_OPERATIONS.has(tool)) events.record('operation-called', `gateway-${replica}`);
    return () => injector.onAttemptEnd();
  });
  const failures: string[] = [];
  await runProjectWorkflow(plan, client, checker).catch((error: unknown) =>
    failures.push(told(error), ...deployment.lastOutput),
  );
  await deployment.waitUntilRestarted();

  const { tasks, subtasks } = checker.counts;
  const items = tasks + subtasks;
  const checkFunctions: Record<Name, () => CheckResult | Promise<CheckResult>> = {
    faults: () => ({ seen: injector.injectedText, against: injector.missingFaults }),
    finished: () => {
      const undone =
        checker.openItems === 0 && items > 0 ? [] : [`${checker.openItems} of ${items} are not done`];
      const seen = `${plan.document}: ${tasks} tasks, ${subtasks} subtasks`;
      return { seen, against: [...failures, ...undone] };
    },
    rules: () => ({ seen: `${checker.steps} steps`, against: checker.violations }),
    once: async () => {
      const { seen, against } = await checkExactlyOnce(deployment, WORKFLOW_OPERATIONS, plan.numTasks);
      const more = `${events.count('llm-called')} LLM calls, ${checker.commits} commits, ${client.repeatsText}`;
      return { seen: `${seen}, ${more}`, against: [...against, ...checker.commitErrors] };
    },
    closed: async () => ({
      seen: 'requests, claims, leases, deadlines, tasks',
      against: await checkNothingLeftOpen(deployment),
    }),
    stored: async () => {
      const { projects, violations } = await deployment.findProjectViolations();
      return { seen: `${projects} projects`, against: violations };
    },
    exported: async () => ({
      seen: `${items} items`,
      against: await checkExportRoundTrip(deployment, checker, PROJECT_ROOT),
    }),
  };
  const checks: JourneyCheck[] = [];
  for (const [name, check] of Object.entries(checkFunctions) as [
    Name,
    () => CheckResult | Promise<CheckResult>,
  ][]) {
    const { seen, against } = await Promise.resolve()
      .then(check)
      .catch((error: unknown) => ({ seen: 'the check threw', against: [told(error)] }));
    checks.push({ name, text: `${CHECKS[name]} (${seen})`, against });
  }
  const stages = [...checker.durations].map(([tool, ms]) => `${tool} ${seconds(ms)}`).join(', ');
  const all = seconds(performance.now() - begun);
  return { checks, durations: `${all} s (start ${seconds(ready - begun)}, ${stages})` };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
