/** A moment by the monotonic and by the wall clock: one of them stands still while a machine sleeps. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function readClocks(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Milliseconds since a moment, by whichever clock went further. */
export function elapsedSince({ monotonic, wall }: Moment): number {
  const now = readClocks();
  return Math.max(now.monotonic - monotonic, now.wall - wall);
}
