import { OversizedRequestError, type Roles, type Wait } from '@baton/store';
import { routeWaits } from './route-waits.ts';
import type { SegmentJournal } from './segment-journal.ts';

/**
 * Routes waits and opens them with `open`. Where a request is larger than its tenant allows, the call fails with `limit_size` in the
 * journal: the result is undefined, and the caller advances the program again.
 */
export async function openWaitsOrFailOversized<T>(
  journal: SegmentJournal,
  roles: Roles,
  asked: readonly Wait[],
  open: (waits: readonly Wait[]) => Promise<T>,
): Promise<T | undefined> {
  const waits = await routeWaits(roles, asked);
  try {
    return await open(waits);
  } catch (thrown) {
    if (!(thrown instanceof OversizedRequestError)) throw thrown;
    const wait = waits.find(({ path }) => path === thrown.path);
    if (wait === undefined) throw thrown;
    const kind = wait.kind === 'provider' ? 'llm' : wait.kind;
    journal.add(wait.path, { kind, ok: false, error: thrown.toWire() });
    return undefined;
  }
}
