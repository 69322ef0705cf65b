/** A pause before attempt `attempt` + 1: doubling from `firstMs` to `mostMs`, its second half random against lockstep. */
export function backoffMs(attempt: number, { firstMs, mostMs }: { firstMs: number; mostMs: number }): number {
  const whole = Math.min(mostMs, firstMs * 2 ** (attempt - 1));
  return whole / 2 + (Math.random() * whole) / 2;
}
