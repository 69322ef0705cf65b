import type { Json, JsonObject, WireError } from '@baton/protocol';

/** Who made the call that a step's state comes from. */
export type StepSource = 'server' | 'client';

/** A call of a step's tool, whatever came of it. `turn` is the revision of the workflow that recorded it; `call` names a client's. */
interface RecordedCall {
  readonly source: StepSource;
  readonly turn: number;
  readonly call?: string;
  readonly arguments: JsonObject;
}

/** How a step stands. A failed or delegated step is open still: any later call of its tool may complete it. */
export type StepState =
  | { readonly status: 'open' }
  /** A step without a tool, whose guidance and resources were shown. */
  | { readonly status: 'shown' }
  /** `output` is undefined where it was too large to keep; `length` is its length in characters of JSON. */
  | (RecordedCall & {
      readonly status: 'completed';
      readonly output: Json | undefined;
      readonly length: number;
    })
  /** `taskId`: of the task whose end it is: a retry of that counts for the step again. */
  | (RecordedCall & {
      readonly status: 'failed';
      readonly error: WireError;
      readonly repeat: boolean;
      readonly taskId?: string;
    })
  /** `directive` is undefined where the task needs nothing of its caller. */
  | (RecordedCall & {
      readonly status: 'delegated';
      readonly taskId: string;
      readonly directive: JsonObject | undefined;
    });

export function isOpen({ status }: StepState): boolean {
  return status !== 'completed' && status !== 'shown';
}

/** When a state was recorded, as the revision of its workflow then; 0 where nothing was. */
export function turnOf(state: StepState | undefined): number {
  return state !== undefined && 'turn' in state ? state.turn : 0;
}

/** Why a run stopped before its end, at which step. */
export type Stop =
  | { readonly reason: 'failed' | 'delegated' | 'out_of_time' | 'interrupted' }
  /** An argument refers to what no output holds, or the arguments grow too large. */
  | { readonly reason: 'unresolved'; readonly problems: readonly string[] }
  /** An argument refers to a step that has no output. */
  | { readonly reason: 'no_output'; readonly problems: readonly string[] }
  /** The arguments do not fit the tool's input schema. */
  | { readonly reason: 'refused'; readonly problems: readonly string[] }
  | { readonly reason: 'resource'; readonly uri: string; readonly error: WireError };
