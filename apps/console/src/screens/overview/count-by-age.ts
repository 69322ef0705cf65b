/** How many have waited for how long. */
export interface AgeCount {
  readonly label: string;
  readonly count: number;
}

const AGES = [
  ['under a minute', 60_000],
  ['under 10 minutes', 600_000],
  ['under an hour', 3_600_000],
  ['an hour or more', Number.POSITIVE_INFINITY],
] as const;

/** Counts by age at `now`, in milliseconds since the epoch; ages that none has are 0. */
export function countByAge(
  waiting: readonly { readonly createdAt: string }[],
  now: number,
): readonly AgeCount[] {
  const ages = waiting.map(({ createdAt }) => now - Date.parse(createdAt));
  return AGES.map(([label, below], at) => {
    const from = AGES[at - 1]?.[1] ?? Number.NEGATIVE_INFINITY;
    return { label, count: ages.filter((age) => age >= from && age < below).length };
  });
}
