import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Loose } from '../harness/client.ts';
import type { Plan } from './plan.ts';
import type { RemoteClient } from './remote-client.ts';
import type { Watch } from './watch.ts';

export const PROJECT = 'the journey';

/** The tools of a walk that ask an LLM. */
export const OPERATIONS: ReadonlySet<string> = new Set([
  'parse_prd',
  'analyze_project_complexity',
  'expand_all',
  'update',
]);

/** A task that has not ended after so long has been lost. */
const PATIENCE_MS = 90_000;

/** How often a client asks how a task stands that waits for its agents. */
const LOOK_MS = 100;

/** More steps than any of these projects has work. */
const MOST_STEPS = 400;

/** What the operations of a walk came to. */
export interface Walked {
  readonly parsed: Loose;
  readonly analyzed: Loose;
  readonly expanded: Loose;
  readonly updated: Loose;
}

/**
 * The way of a document: a plan of tasks, judged, split, begun, revised, and worked off to the end. What each step has
 * left behind is looked at before the next one.
 */
export async function walk(plan: Plan, client: RemoteClient, watch: Watch): Promise<Walked> {
  const { document, numTasks, num, stepsBefore, seed } = plan;
  const prd = readFileSync(`tests/fixtures/${document}`, 'utf8');
  const run = (operation: string, args: object) => toTheEnd(client, operation, args, `journey-${seed}`);

  const parsed = await run('parse_prd', { prd, numTasks });
  await watch.step('parse_prd', 1);
  watch.expect(parsed.tasksAdded === numTasks, `parse_prd added ${parsed.tasksAdded} tasks of ${numTasks}`);
  watch.expect(watch.counts.tasks === numTasks, `after parse_prd there are ${watch.counts.tasks} tasks`);

  const analyzed = await run('analyze_project_complexity', {});
  await watch.step('analyze_project_complexity', 1);
  const { report } = await client.call('complexity_report', { projectRoot: PROJECT });
  const judged = report.complexityAnalysis
    .map(({ taskId }: Loose) => taskId)
    .sort((a: number, b: number) => a - b);
  watch.expect(judged.join() === parsed.taskIds.join(), `the report is about ${judged.join()}`);

  const expanded = await run('expand_all', { num });
  await watch.step('expand_all', expanded.expandedCount);
  const added = expanded.expanded.reduce((sum: number, one: Loose) => sum + one.subtasksAdded, 0);
  watch.expect(expanded.failedCount === 0, `expand_all could not split ${JSON.stringify(expanded.failed)}`);
  watch.expect(expanded.expandedCount === numTasks, `expand_all split ${expanded.expandedCount} tasks`);
  watch.expect(watch.counts.subtasks === added, `${watch.counts.subtasks} subtasks of ${added} are there`);

  await work(client, watch, stepsBefore);
  await beginAll(client, watch);
  const prompt = 'Everything is kept in SQLite, in one file; say so wherever something is kept.';
  const updated = await run('update', { from: 1, prompt });
  await watch.step('update', updated.tasksUpdated + updated.skipped.length > 0 ? 1 : 0);
  watch.expect(watch.counts.tasks === numTasks, `after update there are ${watch.counts.tasks} tasks`);

  await work(client, watch, MOST_STEPS);
  return { parsed, analyzed, expanded, updated };
}

/** Starts an operation, and asks how it stands until it has ended. Throws when it failed. */
async function toTheEnd(client: RemoteClient, name: string, args: object, key: string): Promise<Loose> {
  const started = await client.call(name, { projectRoot: PROJECT, ...args }, `${key}-${name}`);
  if (started.status === 'completed') return started;
  const { taskId } = started;
  for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; ) {
    const stands = await client.call('task_status', { taskId, waitMs: 5_000 });
    if (stands.status === 'completed') return stands.result;
    if (stands.status !== 'working' && stands.status !== 'input_required')
      throw new Error(`${name} has ${stands.status}: ${JSON.stringify(stands.error)}`);
    await pause(LOOK_MS);
  }
  throw new Error(`${name} does not end`);
}

/** Sets a first part of everything done, whoever did it: what is revised then holds work that must not be touched. */
async function beginAll(client: RemoteClient, watch: Watch): Promise<void> {
  const id = watch.firstParts.join();
  if (id === '') return;
  await client.call('set_task_status', { projectRoot: PROJECT, id, status: 'done' });
  await watch.step(`set_task_status ${id} done`);
}

/** Takes up so many next tasks and does them; fewer where nothing is left. */
async function work(client: RemoteClient, watch: Watch, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const { task, message } = await client.call('next_task', { projectRoot: PROJECT });
    if (task === null) {
      if (watch.open > 0) throw new Error(`${watch.open} items are not done, and next_task says: ${message}`);
      return;
    }
    const parts: Loose[] = task.subtasks ?? [];
    // What has parts is begun first, and done when they are.
    const begun = task.status === 'in-progress' || !parts.some(({ status }) => status !== 'done');
    const status = begun ? 'done' : 'in-progress';
    await client.call('set_task_status', { projectRoot: PROJECT, id: String(task.id), status });
    await watch.step(`set_task_status ${task.id} ${status}`);
    watch.expect(
      watch.statusOf(String(task.id)) === status,
      `${task.id} was set to ${status} and is ${watch.statusOf(String(task.id))}`,
    );
  }
  if (steps === MOST_STEPS) throw new Error(`after ${MOST_STEPS} steps something is still next`);
}
