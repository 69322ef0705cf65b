import { OversizedRequestError, type Wait } from '@baton/store';
import type { SegmentJournal } from './segment-journal.ts';

/**
 * Opens waits with `open`. Where a request is larger than its tenant allows, the call fails with `limit_size` in the
 * journal: the result is undefined, and the caller advances the program again.
 */
export async function openWaitsOrFailOversized<T>(
  journal: SegmentJournal,
  waits: readonly Wait[],
  open: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await open();
  } catch (thrown) {
    if (!(thrown instanceof OversizedRequestError)) throw thrown;
    const wait = waits.find(({ path }) => path === thrown.path);
    if (wait === undefined) throw thrown;
    journal.add(wait.path, { kind: wait.kind, ok: false, error: thrown.toWire() });
    return undefined;
  }
}
