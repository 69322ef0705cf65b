import { checkDeadlines } from './deadlines.ts';
import { checkDurability } from './durability.ts';
import { checkNothingLost } from './nothing-lost.ts';
import { checkExactlyOnce } from './exactly-once.ts';
import { HistoryIndex } from './history-index.ts';
import type { Violation } from './violation.ts';
import type { FinalState } from './final-state.ts';
import type { HistoryEntry } from './history.ts';

/**
 * The offline checker: checks what clients were told and what Redis holds in the end against four invariants.
 * I1 `exactly-once`, I2 `nothing-lost`, I3 `deadlines`, I4 `durability`, each in a file of its own. `history` is what
 * clients and nemesis did, `final-state` what Redis holds, `history-index` both, indexed for the invariants.
 */
export function checkHistory(history: readonly HistoryEntry[], final: FinalState): Violation[] {
  const index = new HistoryIndex(history, final);
  return [
    ...checkExactlyOnce(index),
    ...checkNothingLost(index),
    ...checkDeadlines(index),
    ...checkDurability(index),
  ];
}
