/** How long an agent pauses, in milliseconds; after failures in a row longer and longer, from `firstMs` to `mostMs`. */
export const PAUSES = {
  /** After a claim that came back empty without having waited. */
  emptyClaim: { firstMs: 50, mostMs: 2_000 },
  failedClaim: { firstMs: 200, mostMs: 5_000 },
  failedCall: { firstMs: 500, mostMs: 15_000 },
  failedProbe: { firstMs: 1_000, mostMs: 30_000 },
  /** Probes of the endpoint begin so far apart at least: callers whose requests fail may cause no more of them. */
  probeIntervalMs: 1_000,
} as const;
