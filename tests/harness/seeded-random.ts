/** Pseudo-random numbers that depend on a seed text alone. */
export interface SeededRandom {
  /** From 0 up to, never reaching, 1. */
  next(): number;
  /** From 0 up to, never reaching, `below`. */
  below(below: number): number;
  chance(rate: number): boolean;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
}

/** Mulberry32 over the FNV-1a hash of the text. */
export function seededRandom(text: string): SeededRandom {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (rate) => next() < rate,
    pick: (from) => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}
