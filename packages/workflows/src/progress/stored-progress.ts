import type { Workflow } from '../definition/workflow.ts';
import type { StepState } from './step-state.ts';
import type { EmbeddedResource } from './tool-outcome.ts';
import { type ChildCall, type ChildEnd, newProgress, type WorkflowProgress } from './workflow-progress.ts';

/**
 * A progress as it is stored: each part under a path of its own, as JSON. `s<n>` is the state of a step, `r<n>` what was read
 * for it, `e.<tool>` a call beside the steps, `c.<task>` a task that a call has started, `d.<task>` how that ended (the one part that
 * the store itself writes), `stop` why the latest run stopped.
 */
export interface StoredProgress {
  readonly revision: number;
  readonly parts: ReadonlyMap<string, string>;
}

/** What turns one stored progress into another: parts to write, and parts to delete. */
export interface ProgressChange {
  readonly sets: readonly (readonly [path: string, text: string])[];
  readonly drops: readonly string[];
}

export function parseProgress(workflow: Workflow, { revision, parts }: StoredProgress): WorkflowProgress {
  const begun = newProgress(workflow);
  const read = <T>(path: string): T | undefined => {
    const text = parts.get(path);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  };
  const family = <T>(prefix: string): Map<string, T> =>
    new Map(
      [...parts.keys()].flatMap((path) =>
        path.startsWith(prefix) ? [[path.slice(prefix.length), read<T>(path) as T] as const] : [],
      ),
    );
  let size = 0;
  for (const text of parts.values()) size += text.length;
  return {
    revision,
    steps: begun.steps.map((state, index) => read<StepState>(`s${index}`) ?? state),
    resources: begun.resources.map((none, index) => read<EmbeddedResource[]>(`r${index}`) ?? none),
    extras: family<StepState>('e.'),
    children: family<ChildCall>('c.'),
    ends: family<ChildEnd>('d.'),
    stop: read<WorkflowProgress['stop']>('stop'),
    size,
  };
}

/** The change from one progress to a later one of the same workflow. */
export function changeBetween(before: WorkflowProgress, after: WorkflowProgress): ProgressChange {
  const sets: [string, string][] = [];
  const drops: string[] = [];
  const write = (path: string, was: unknown, is: unknown) => {
    if (is !== was && is !== undefined) sets.push([path, JSON.stringify(is)]);
  };
  const writeAll = (
    prefix: string,
    were: ReadonlyMap<string, unknown>,
    are: ReadonlyMap<string, unknown>,
  ) => {
    for (const [name, is] of are) write(`${prefix}${name}`, were.get(name), is);
    for (const name of were.keys()) if (!are.has(name)) drops.push(`${prefix}${name}`);
  };
  for (const [index, state] of after.steps.entries()) write(`s${index}`, before.steps[index], state);
  for (const [index, read] of after.resources.entries()) write(`r${index}`, before.resources[index], read);
  writeAll('e.', before.extras, after.extras);
  writeAll('c.', before.children, after.children);
  writeAll('d.', before.ends, after.ends);
  write('stop', before.stop, after.stop);
  return { sets, drops };
}
