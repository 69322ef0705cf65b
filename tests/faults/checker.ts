import { checkDeadlines } from './invariants/deadlines.ts';
import { checkDurable } from './invariants/durable.ts';
import { checkKept } from './invariants/kept.ts';
import { checkOnce } from './invariants/once.ts';
import { Evidence, type Violation } from './evidence.ts';
import type { FinalState } from './final-state.ts';
import type { Entry } from './history.ts';

/**
 * The offline checker: what the clients saw and what Redis holds in the end, held against the four invariants.
 * I1 `once`, I2 `kept`, I3 `deadlines`, I4 `durable`; each stands in a file of its own.
 */
export function check(history: readonly Entry[], final: FinalState): Violation[] {
  const evidence = new Evidence(history, final);
  return [
    ...checkOnce(evidence),
    ...checkKept(evidence),
    ...checkDeadlines(evidence),
    ...checkDurable(evidence),
  ];
}
