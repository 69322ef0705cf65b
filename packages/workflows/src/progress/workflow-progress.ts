import type { Workflow } from '../definition/workflow.ts';
import type { StepSource, StepState, Stop } from './step-state.ts';
import type { EmbeddedResource } from './tool-outcome.ts';
import type { JsonObject, WireError } from '@baton/protocol';

/** What a workflow's task begins with: the definition, as it was then, and the prompt's arguments. */
export interface WorkflowInput {
  readonly workflow: Workflow;
  readonly args: Readonly<Record<string, string>>;
}

/** A task that a call has started, and whose end counts for the step at this place, or beside the steps. */
export interface ChildCall {
  readonly tool: string;
  readonly step: number | undefined;
  readonly source: StepSource;
  readonly turn: number;
  readonly arguments: JsonObject;
}

/** How such a task ended. `length` stands for a result of so many characters, which is not kept. */
export type ChildEnd = { readonly turn: number } & (
  | { readonly status: 'completed'; readonly outcome: JsonObject }
  | { readonly status: 'completed'; readonly length: number }
  | { readonly status: 'failed' | 'cancelled'; readonly outcome: WireError }
);

/** How a workflow stands. Whatever changes it gives a new one; parts that did not change stay the same objects. */
export interface WorkflowProgress {
  /** Counts the changes so far. */
  readonly revision: number;
  /** A state for each step of the definition, in its order. */
  readonly steps: readonly StepState[];
  /** The resources that were read for each step. */
  readonly resources: readonly (readonly EmbeddedResource[])[];
  /** By tool, the latest call that belongs to no step. */
  readonly extras: ReadonlyMap<string, StepState>;
  /** By the id of the task. */
  readonly children: ReadonlyMap<string, ChildCall>;
  readonly ends: ReadonlyMap<string, ChildEnd>;
  /** Why the latest run stopped; null where it reached the end, undefined while none has stopped. */
  readonly stop: WorkflowStop | null | undefined;
  /** Characters that it takes as it is stored. */
  readonly size: number;
}

/** Why a run stopped, and at which step. */
export type WorkflowStop = Stop & { readonly step: number };

/** Before anything has run. */
export function newProgress({ steps }: Workflow): WorkflowProgress {
  return {
    revision: 0,
    steps: steps.map(() => ({ status: 'open' })),
    resources: steps.map(() => []),
    extras: new Map(),
    children: new Map(),
    ends: new Map(),
    stop: undefined,
    size: 0,
  };
}
