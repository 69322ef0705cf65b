import type { JsonObject } from '@baton/protocol';
import type { WorkflowProgress, WorkflowStop } from '../progress/workflow-progress.ts';
import type { EmbeddedResource, ToolOutcome } from '../progress/tool-outcome.ts';

/** What a run asks of whoever carries it out, in the name of its caller. */
export type Move =
  /** To be answered with the outcome. `after` is the turn of what is recorded of the step: with the step it names the call. */
  | {
      readonly kind: 'call';
      readonly step: number;
      readonly after: number;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  /** How the task that a step waits for stands: the outcome that its call would have now. */
  | { readonly kind: 'look'; readonly taskId: string }
  /** The resource; what goes wrong is thrown into the run. */
  | { readonly kind: 'read'; readonly uri: string }
  /** The progress after this change, as it is stored by then. */
  | { readonly kind: 'record'; readonly change: RunChange };

/** What a run has done since it recorded last. */
export interface RunChange {
  readonly steps: readonly (readonly [index: number, step: StepOutcome])[];
  readonly resources: readonly (readonly [index: number, read: readonly EmbeddedResource[]])[];
  /** Why the run stops, null at its end; undefined where it goes on. */
  readonly stop: WorkflowStop | null | undefined;
}

/** `after` is the turn of what was recorded of the step when it was called. */
export type StepOutcome =
  | { readonly kind: 'shown' }
  | {
      readonly kind: 'called';
      readonly after: number;
      readonly arguments: JsonObject;
      readonly outcome: Exclude<ToolOutcome, { kind: 'out_of_time' | 'interrupted' | 'refused' }>;
    };

export type Run<T> = Generator<Move, T, unknown>;

export function* callTool(move: Omit<Extract<Move, { kind: 'call' }>, 'kind'>): Run<ToolOutcome> {
  return (yield { kind: 'call', ...move }) as ToolOutcome;
}

export function* lookAtTask(taskId: string): Run<ToolOutcome> {
  return (yield { kind: 'look', taskId }) as ToolOutcome;
}

export function* readResource(uri: string): Run<EmbeddedResource> {
  return (yield { kind: 'read', uri }) as EmbeddedResource;
}

export function* record(change: RunChange): Run<WorkflowProgress> {
  return (yield { kind: 'record', change }) as WorkflowProgress;
}
