import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { AnyJson } from '../harness/mcp-client.ts';
import type { JourneyPlan } from './faults/journey-plan.ts';
import type { RetryingClient } from '../faults/clients/retrying-client.ts';
import type { ProjectChecker } from './checks/project-checker.ts';

export const PROJECT_ROOT = 'the project';

/** The tools of the workflow that delegate to an LLM. */
export const WORKFLOW_OPERATIONS: ReadonlySet<string> = new Set([
  'parse_prd',
  'analyze_project_complexity',
  'expand_all',
  'update',
]);

/** A task that has not ended after this time counts as lost. */
const PATIENCE_MS = 90_000;

/** Pause between two polls of a task that waits for agents. */
const LOOK_MS = 100;

/** More steps than any of the projects needs. */
const MOST_STEPS = 400;

/** The results of the operations. */
export interface WorkflowResults {
  readonly parsed: AnyJson;
  readonly analyzed: AnyJson;
  readonly expanded: AnyJson;
  readonly updated: AnyJson;
}

/**
 * The workflow of a project: parse a document, analyze complexity, expand all tasks, work, update, work until all is done.
 * The project is checked after each step.
 */
export async function runProjectWorkflow(
  plan: JourneyPlan,
  client: RetryingClient,
  checker: ProjectChecker,
): Promise<WorkflowResults> {
  const { document, numTasks, subtasksPerTask, stepsBeforeUpdate, seed } = plan;
  const prd = readFileSync(`tests/fixtures/${document}`, 'utf8');
  const run = (operation: string, args: object) => runOperation(client, operation, args, `e2e-${seed}`);

  const parsed = await run('parse_prd', { prd, numTasks });
  await checker.checkAfterStep('parse_prd', 1);
  checker.expect(parsed.tasksAdded === numTasks, `parse_prd added ${parsed.tasksAdded} tasks of ${numTasks}`);
  checker.expect(
    checker.counts.tasks === numTasks,
    `after parse_prd there are ${checker.counts.tasks} tasks`,
  );

  const analyzed = await run('analyze_project_complexity', {});
  await checker.checkAfterStep('analyze_project_complexity', 1);
  const { report } = await client.call('complexity_report', { projectRoot: PROJECT_ROOT });
  const analyzedIds = report.complexityAnalysis
    .map(({ taskId }: AnyJson) => taskId)
    .sort((a: number, b: number) => a - b);
  checker.expect(analyzedIds.join() === parsed.taskIds.join(), `the report is about ${analyzedIds.join()}`);

  const expanded = await run('expand_all', { num: subtasksPerTask });
  await checker.checkAfterStep('expand_all', expanded.expandedCount);
  const added = expanded.expanded.reduce((sum: number, one: AnyJson) => sum + one.subtasksAdded, 0);
  checker.expect(expanded.failedCount === 0, `expand_all could not split ${JSON.stringify(expanded.failed)}`);
  checker.expect(expanded.expandedCount === numTasks, `expand_all split ${expanded.expandedCount} tasks`);
  checker.expect(
    checker.counts.subtasks === added,
    `${checker.counts.subtasks} subtasks of ${added} are there`,
  );

  await workOff(client, checker, stepsBeforeUpdate);
  await completeFirstSubtasks(client, checker);
  const prompt = 'Everything is kept in SQLite, in one file; say so wherever something is kept.';
  const updated = await run('update', { from: 1, prompt });
  await checker.checkAfterStep('update', updated.tasksUpdated + updated.skipped.length > 0 ? 1 : 0);
  checker.expect(checker.counts.tasks === numTasks, `after update there are ${checker.counts.tasks} tasks`);

  await workOff(client, checker, MOST_STEPS);
  return { parsed, analyzed, expanded, updated };
}

/** Starts an operation and polls until it has ended. Errors: when it fails. */
async function runOperation(
  client: RetryingClient,
  name: string,
  args: object,
  key: string,
): Promise<AnyJson> {
  const started = await client.call(name, { projectRoot: PROJECT_ROOT, ...args }, `${key}-${name}`);
  if (started.status === 'completed') return started;
  const { taskId } = started;
  for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; ) {
    const stands = await client.call('task_status', { taskId, waitMs: 5_000 });
    if (stands.status === 'completed') return stands.result;
    if (stands.status !== 'working' && stands.status !== 'input_required')
      throw new Error(`${name} has ${stands.status}: ${JSON.stringify(stands.error)}`);
    await pause(LOOK_MS);
  }
  throw new Error(`${name} did not end`);
}

/** Sets the first open subtask of each task done, so that the update meets done items everywhere. */
async function completeFirstSubtasks(client: RetryingClient, checker: ProjectChecker): Promise<void> {
  const id = checker.firstOpenSubtasks.join();
  if (id === '') return;
  await client.call('set_task_status', { projectRoot: PROJECT_ROOT, id, status: 'done' });
  await checker.checkAfterStep(`set_task_status ${id} done`);
}

/** Works on `steps` next tasks, or on fewer when none is left. */
async function workOff(client: RetryingClient, checker: ProjectChecker, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const { task, message } = await client.call('next_task', { projectRoot: PROJECT_ROOT });
    if (task === null) {
      if (checker.openItems > 0)
        throw new Error(`${checker.openItems} items are not done, and next_task says: ${message}`);
      return;
    }
    const subtasks: AnyJson[] = task.subtasks ?? [];
    // A task with open subtasks is started first, and done when they are.
    const started = task.status === 'in-progress' || !subtasks.some(({ status }) => status !== 'done');
    const status = started ? 'done' : 'in-progress';
    await client.call('set_task_status', { projectRoot: PROJECT_ROOT, id: String(task.id), status });
    await checker.checkAfterStep(`set_task_status ${task.id} ${status}`);
    checker.expect(
      checker.statusOf(String(task.id)) === status,
      `${task.id} was set to ${status} and is ${checker.statusOf(String(task.id))}`,
    );
  }
  if (steps === MOST_STEPS) throw new Error(`after ${MOST_STEPS} steps something is still next`);
}
