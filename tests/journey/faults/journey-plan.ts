import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts';
import type { TriggerEvent } from './trigger-event-emitter.ts';

/**
 * One fault, triggered by an event and not by a clock: it hits the process that does the `nth` event, or the next one that
 * it can. `kill` sends SIGKILL; `drop-reply` lets the client's request in and no reply out;
 * `lose-reply` lets the command of a worker reach Redis, and ends the connection before the reply.
 */
export interface PlannedFault {
  readonly event: TriggerEvent;
  readonly nth: number;
  readonly what: 'kill' | 'drop-reply' | 'lose-reply';
}

/** What a seed decides. */
export interface JourneyPlan {
  readonly seed: number;
  readonly document: string;
  readonly numTasks: number;
  /** `num` of expand_all. */
  readonly subtasksPerTask: number;
  /** How many steps of work precede the update. */
  readonly stepsBeforeUpdate: number;
  readonly faults: readonly PlannedFault[];
}

const DOCUMENTS = ['prd-library.txt', 'prd-praxis.md', 'prd-fleet.md'] as const;

/** Each role is killed at least once; further kills are drawn. */
export function createJourneyPlan(seed: number): JourneyPlan {
  const random = seededRandom(`journey ${seed}`);
  const numTasks = 6 + random.below(3);
  const kinds: Exclude<TriggerEvent, 'turn-ended'>[] = ['llm-called', 'worker-command', 'gateway-command'];
  for (let more = 1 + random.below(2); more > 0; more--)
    kinds.push(random.pick(['llm-called', 'worker-command', 'gateway-command', 'status-set'] as const));
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
      { event: 'operation-called', nth: 1 + random.below(4), what: 'drop-reply' },
      { event: 'status-set', nth: 1 + random.below(8), what: 'drop-reply' },
    ],
  };
}

/** An occurrence that every run reaches. */
function drawNth(event: Exclude<TriggerEvent, 'turn-ended'>, numTasks: number, random: SeededRandom): number {
  const within = {
    'llm-called': numTasks + 2,
    'worker-command': 16,
    'gateway-command': 30,
    'operation-called': 4,
    'status-set': 10,
  };
  return 1 + random.below(within[event]);
}
