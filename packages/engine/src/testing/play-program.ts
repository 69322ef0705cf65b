import { type AgentAnswer, BatonError, type DelegatedCall } from '@baton/protocol';
import { type Effect, isRemark, type Program } from '../program/effect.ts';

/** What a call did when its effects came out as given, one after the other. */
interface Playback<T> {
  readonly effects: readonly Effect[];
  /** The requests among them. */
  readonly calls: readonly DelegatedCall[];
  /** Undefined while it still waits for the last of its effects. */
  readonly end: { readonly value: T } | { readonly error: unknown } | undefined;
}

/** Plays a call against outcomes; a BatonError among them is thrown into it. */
export function playProgram<T>(call: Program<T>, outcomes: readonly unknown[]): Playback<T> {
  const effects: Effect[] = [];
  const left = [...outcomes];
  const watched = (end: Playback<T>['end']): Playback<T> => ({
    effects,
    calls: effects.flatMap((effect) => (effect.kind === 'llm' ? [effect.call] : [])),
    end,
  });
  try {
    let turn = call.next();
    while (!turn.done) {
      if (isRemark(turn.value)) {
        turn = call.next();
        continue;
      }
      effects.push(turn.value);
      if (left.length === 0) return watched(undefined);
      const outcome = left.shift();
      turn = outcome instanceof BatonError ? call.throw(outcome) : call.next(outcome);
    }
    return watched({ value: turn.value });
  } catch (error) {
    return watched({ error });
  }
}

export const successAnswer = (data: NonNullable<unknown>): AgentAnswer => ({ status: 'success', data });
export const errorAnswer = (type?: string, message = 'no luck'): AgentAnswer => ({
  status: 'error',
  errorDetails: type === undefined ? { message } : { message, type },
});

/** An effect in few words: the attempt of a request, the length of a pause, otherwise its kind. */
export function describeEffect(effect: Effect): string {
  if (effect.kind === 'llm') return `attempt ${effect.call.attempt}`;
  return effect.kind === 'sleep' ? `pause ${effect.ms}` : effect.kind;
}
