import type { Identity } from '@baton/store';

/** In how many milliseconds a held call is to look again: at its deadline, and when the key expires that it came with. */
export function msUntilDeadlineOrKeyExpiry(deadline: number, { admittedBy }: Identity): number {
  return Math.min(deadline, admittedBy?.expiresAt ?? deadline) - performance.now();
}
