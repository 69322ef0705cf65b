import type { Json } from '@baton/protocol';
import type { StepState } from './step-state.ts';

/** Characters of JSON of one output that are kept, and of all outputs of a workflow together. */
export const MAX_OUTPUT_LENGTH = 262_144;
export const MAX_OUTPUTS_LENGTH = 1_048_576;

/** An output as a workflow keeps it beside those of `others`; undefined where it would grow too large. */
export function keepOutput(
  output: Json,
  others: readonly StepState[],
): { output: Json | undefined; length: number } {
  const { length } = JSON.stringify(output);
  let kept = length;
  for (const state of others)
    if (state.status === 'completed' && state.output !== undefined) kept += state.length;
  const fits = length <= MAX_OUTPUT_LENGTH && kept <= MAX_OUTPUTS_LENGTH;
  return { output: fits ? output : undefined, length };
}
