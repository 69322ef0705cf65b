import { type Random, randomOf } from '../scripted-agent/random.ts';
import type { Event } from './progress.ts';

/**
 * One fault, bound to what happens and not to the clock: it strikes whoever does the `nth` of the events, or the next
 * one whom it can. `kill` ends its process with -9; `lose` lets the client's request in and no reply out.
 */
export interface Strike {
  readonly event: Event;
  readonly nth: number;
  readonly what: 'kill' | 'lose';
}

/** What a seed decides. */
export interface Plan {
  readonly seed: number;
  readonly document: string;
  readonly numTasks: number;
  /** How many subtasks each task is to be split into. */
  readonly num: number;
  /** How many steps of work are done before the plan is revised. */
  readonly stepsBefore: number;
  readonly strikes: readonly Strike[];
}

const DOCUMENTS = ['prd-library.txt', 'prd-praxis.md', 'prd-fleet.md'] as const;

/** Each kind of process is killed once for certain; after that it is drawn who else. */
export function planOf(seed: number): Plan {
  const random = randomOf(`journey ${seed}`);
  const numTasks = 6 + random.below(3);
  const kinds: Event[] = ['asked', 'worked', 'served'];
  for (let more = 1 + random.below(2); more > 0; more--)
    kinds.push(random.pick(['asked', 'worked', 'served', 'marking'] as const));
  const kills = kinds.map((event) => ({ event, nth: nthOf(event, numTasks, random), what: 'kill' as const }));
  return {
    seed,
    document: DOCUMENTS[seed % DOCUMENTS.length] ?? DOCUMENTS[0],
    numTasks,
    num: 2 + random.below(2),
    stepsBefore: 3 + random.below(4),
    strikes: [
      ...kills,
      { event: 'starting', nth: 1 + random.below(4), what: 'lose' },
      { event: 'marking', nth: 1 + random.below(8), what: 'lose' },
    ],
  };
}

/** One that every journey reaches: each delegation is asked once at least, resumed and answered. */
function nthOf(event: Event, numTasks: number, random: Random): number {
  const within = { asked: numTasks + 2, worked: 16, served: 30, starting: 4, marking: 10 };
  return 1 + random.below(within[event]);
}
