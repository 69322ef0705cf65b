import { checkDeadlines } from './deadlines.ts';
import { checkDurability } from './durability.ts';
import { checkNothingLost } from './nothing-lost.ts';
import { checkExactlyOnce } from './exactly-once.ts';
import { Evidence, type Violation } from './evidence.ts';
import type { FinalState } from './final-state.ts';
import type { HistoryEntry } from './history.ts';

/**
 * The offline checker: what the clients saw and what Redis holds in the end, held against the four invariants.
 * I1 `once`, I2 `kept`, I3 `deadlines`, I4 `durable`; each stands in a file of its own.
 */
export function checkHistory(history: readonly HistoryEntry[], final: FinalState): Violation[] {
  const evidence = new Evidence(history, final);
  return [
    ...checkExactlyOnce(evidence),
    ...checkNothingLost(evidence),
    ...checkDeadlines(evidence),
    ...checkDurability(evidence),
  ];
}
