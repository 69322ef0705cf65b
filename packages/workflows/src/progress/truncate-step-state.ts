import type { Json, JsonObject } from '@baton/protocol';
import type { StepState } from './step-state.ts';

/** Characters of JSON of one output that are kept, and of all that a workflow keeps. */
export const MAX_OUTPUT_LENGTH = 262_144;
export const MAX_KEPT_LENGTH = 1_048_576;
/** Characters of JSON of a call's arguments that are kept; they are shown, and never needed again. */
const MAX_ARGUMENTS_LENGTH = 16_384;

/** A state as it is kept where so many characters are kept already: what is too long is told by its length. */
export function truncateStepState(state: StepState, kept: number): StepState {
  if (state.status === 'open' || state.status === 'shown') return state;
  const args = truncateArguments(state.arguments, kept);
  switch (state.status) {
    case 'completed':
      return { ...state, arguments: args, output: bounded(state.output, kept) };
    case 'delegated':
      return { ...state, arguments: args, directive: bounded(state.directive, kept) };
    case 'failed':
      return { ...state, arguments: args, error: boundError(state.error, kept) };
  }
}

export function truncateArguments(args: JsonObject, kept: number): JsonObject {
  const { length } = JSON.stringify(args);
  const fits = length <= MAX_ARGUMENTS_LENGTH && kept + length <= MAX_KEPT_LENGTH;
  return fits ? args : { omitted: `${length} characters of JSON` };
}

/** Whether so many characters more can be kept. */
export function isRoomFor(length: number, kept: number): boolean {
  return length <= MAX_OUTPUT_LENGTH && kept + length <= MAX_KEPT_LENGTH;
}

function bounded<T extends Json>(value: T | undefined, kept: number): T | undefined {
  if (value === undefined) return undefined;
  return isRoomFor(JSON.stringify(value).length, kept) ? value : undefined;
}

type Failure = Extract<StepState, { status: 'failed' }>['error'];

/** Its details may quote what was sent. */
function boundError(error: Failure, kept: number): Failure {
  const { length } = JSON.stringify(error);
  if (length <= MAX_ARGUMENTS_LENGTH && kept + length <= MAX_KEPT_LENGTH) return error;
  return { code: error.code, message: error.message.slice(0, 1_000) };
}
