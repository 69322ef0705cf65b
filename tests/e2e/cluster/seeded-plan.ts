import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts';
import type { ClusterEvent } from './event-counter.ts';

/**
 * One fault, bound to what happens and not to the clock: it strikes whoever does the `nth` of the events, or the next
 * one whom it can. `kill` ends its process with -9; `lose` lets the client's request in and no reply out.
 */
export interface PlannedFault {
  readonly event: ClusterEvent;
  readonly nth: number;
  readonly what: 'kill' | 'lose';
}

/** What a seed decides. */
export interface SeededPlan {
  readonly seed: number;
  readonly document: string;
  readonly numTasks: number;
  /** How many subtasks each task is to be split into. */
  readonly subtasksPerTask: number;
  /** How many steps of work are done before the plan is revised. */
  readonly stepsBeforeUpdate: number;
  readonly faults: readonly PlannedFault[];
}

const DOCUMENTS = ['prd-library.txt', 'prd-praxis.md', 'prd-fleet.md'] as const;

/** Each kind of process is killed once for certain; after that it is drawn who else. */
export function createPlan(seed: number): SeededPlan {
  const random = seededRandom(`journey ${seed}`);
  const numTasks = 6 + random.below(3);
  const kinds: ClusterEvent[] = ['asked', 'worked', 'served'];
  for (let more = 1 + random.below(2); more > 0; more--)
    kinds.push(random.pick(['asked', 'worked', 'served', 'marking'] as const));
  const kills = kinds.map((event) => ({
    event,
    nth: drawNth(event, numTasks, random),
    what: 'kill' as const,
  }));
  return {
    seed,
    document: DOCUMENTS[seed % DOCUMENTS.length] ?? DOCUMENTS[0],
    numTasks,
    subtasksPerTask: 2 + random.below(2),
    stepsBeforeUpdate: 3 + random.below(4),
    faults: [
      ...kills,
      { event: 'starting', nth: 1 + random.below(4), what: 'lose' },
      { event: 'marking', nth: 1 + random.below(8), what: 'lose' },
    ],
  };
}

/** One that every journey reaches: each delegation is asked once at least, resumed and answered. */
function drawNth(event: ClusterEvent, numTasks: number, random: SeededRandom): number {
  const within = { asked: numTasks + 2, worked: 16, served: 30, starting: 4, marking: 10 };
  return 1 + random.below(within[event]);
}
