import { BatonError, type Json } from '@baton/protocol';
import { applyProjectCommand, type Program } from './effect.ts';

/** What has no room is tried again after so long, then after twice as long, for an hour in all. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 120_000;
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Stores what an answer gave. Where there is no room for it within a limit, it is tried again for an hour, since the answer was
 * paid for, and then fails with `limit_storage` or `limit_size`. Errors: those of `store`.
 */
export function* waitForRoom<T>(store: () => Program<T>): Program<T> {
  let waited = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, 2 * pause)) {
    try {
      return yield* store();
    } catch (thrown) {
      const limit = limitIn(thrown);
      if (limit === undefined || waited >= LONGEST_WAIT_MS) throw thrown;
      yield { kind: 'sleep', ms: pause, limit };
      waited += pause;
    }
  }
}

/** Applies a command that an answer gave, and waits for room. Errors: those of `applyProjectCommand`. */
export function applyAnsweredCommand<T>(project: string, command: Json): Program<T> {
  return waitForRoom(() => applyProjectCommand<T>(project, command));
}

/** The name of the limit within which there was no room; undefined for any other error, the length of one field among them: it gets no room. */
function limitIn(thrown: unknown): string | undefined {
  if (!(thrown instanceof BatonError) || !['limit_storage', 'limit_size'].includes(thrown.code))
    return undefined;
  const { limit, field } = thrown.details;
  return typeof limit === 'string' && field === undefined ? limit : undefined;
}
