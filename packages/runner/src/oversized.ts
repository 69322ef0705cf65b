import { OversizedRequest, type Wait } from '@baton/store';
import type { Recording } from './recording.ts';

/**
 * Opens waits, in the first segment as in any later one. Where a request is larger than its tenant allows, that request's
 * call has ended with `limit_size`: undefined, and the program is to go on from there.
 */
export async function unlessOversized<T>(
  recording: Recording,
  waits: readonly Wait[],
  open: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await open();
  } catch (thrown) {
    if (!(thrown instanceof OversizedRequest)) throw thrown;
    const wait = waits.find(({ path }) => path === thrown.path);
    if (wait === undefined) throw thrown;
    recording.add(wait.path, { kind: wait.kind, ok: false, error: thrown.toWire() });
    return undefined;
  }
}
