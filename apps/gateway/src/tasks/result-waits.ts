import { CallAbortSignal } from '../call/call-abort-signal.ts';
import type { AdmittedCall } from '../call/call.ts';

/** How many calls of one tenant this replica holds until a task ends. */
const MAX_WAITS_PER_TENANT = 1_000;

/** Why a wait ends: it was given up for a later one. */
const GIVEN_UP = 'given up for a later wait';

/** One held call: its signal aborts when nobody should wait any longer. */
interface ResultWait {
  readonly keyId: string;
  readonly signal: CallAbortSignal;
}

/**
 * The calls that wait for the end of a task, which may be hours away: clients that gave up leave theirs behind. A wait beyond
 * what a tenant may have open ends the oldest of the key that has most of them, so that none is refused, and no key takes the
 * places of others.
 */
export class ResultWaits {
  private readonly byTenant = new Map<string, Set<ResultWait>>();
  private readonly most: number;

  constructor(most = MAX_WAITS_PER_TENANT) {
    this.most = most;
  }

  /** Runs `wait` with the signal of a held call. */
  async hold<T>(
    call: Pick<AdmittedCall, 'tenant' | 'identity' | 'signal'>,
    wait: (signal: CallAbortSignal) => Promise<T>,
  ): Promise<T> {
    const [tenant, outer] = [call.tenant.id, call.signal()];
    const waits = this.byTenant.get(tenant) ?? new Set();
    this.byTenant.set(tenant, waits);
    const held: ResultWait = {
      keyId: call.identity.admittedBy?.id ?? '',
      signal: new CallAbortSignal(),
    };
    waits.add(held);
    if (waits.size > this.most) giveUpOldest(waits);
    const end = () => held.signal.abort(outer.reason ?? '');
    outer.addEventListener('abort', end);
    if (outer.aborted) end();
    try {
      return await wait(held.signal);
    } finally {
      outer.removeEventListener('abort', end);
      waits.delete(held);
      if (waits.size === 0 && this.byTenant.get(tenant) === waits) this.byTenant.delete(tenant);
    }
  }
}

function giveUpOldest(waits: Set<ResultWait>): void {
  const counts = new Map<string, number>();
  for (const { keyId } of waits) counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  const most = Math.max(...counts.values());
  for (const wait of waits) {
    if (counts.get(wait.keyId) !== most) continue;
    wait.signal.abort(GIVEN_UP);
    waits.delete(wait);
    return;
  }
}
