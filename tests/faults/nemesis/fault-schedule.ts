import { seededRandom, type SeededRandom } from '../../harness/seeded-random.ts';

/** What befalls one process, or its way to Redis. Durations are milliseconds. */
export interface Fault {
  /** The pause since the fault before it in its lane was over. */
  readonly pauseMs: number;
  readonly target: string;
  /**
   * `kill`, `stop` and `terminate` end or stop the process, `stutter` lets it run only now and then; `slow`, `cut` and
   * `hold` befall its way to Redis.
   */
  readonly kind: 'kill' | 'terminate' | 'stop' | 'stutter' | 'slow' | 'cut' | 'hold';
  readonly durationMs: number;
  /** Strikes right after a command about a task was sent, before its reply is read, instead of at any time. */
  readonly waitForTaskCommand: boolean;
}

/**
 * Three lanes side by side, so that there is always a worker and a gateway that lives, as there is in a deployment that
 * has more than one of each: of each kind one at a time is struck, and Redis, of which there is one.
 */
export interface FaultSchedule {
  readonly gateways: readonly Fault[];
  readonly workers: readonly Fault[];
  readonly redis: readonly Fault[];
}

/** The same seed gives the same faults, in the same order in each lane. */
export function createFaultSchedule(seed: number, gateways: number, workers: number): FaultSchedule {
  const random = seededRandom(`faults of ${seed}`);
  return {
    gateways: Array.from({ length: 5 }, () =>
      drawProcessFault(random, `gateway-${random.below(gateways)}`, 2_500),
    ),
    workers: Array.from({ length: 5 }, () =>
      drawProcessFault(random, `worker-${random.below(workers)}`, 3_500),
    ),
    redis: Array.from({ length: 3 }, () => drawRedisFault(random)),
  };
}

const PROCESS_FAULTS = [
  'kill',
  'kill',
  'stop',
  'stop',
  'terminate',
  'stutter',
  'slow',
  'cut',
  'hold',
] as const;

/** What stops for longer than the leases does so in half of the cases. */
function drawProcessFault(random: SeededRandom, target: string, most: number): Fault {
  const kind = random.pick(PROCESS_FAULTS);
  return {
    pauseMs: 200 + random.below(1_000),
    target,
    kind,
    durationMs: kind === 'kill' || kind === 'terminate' ? random.below(600) : 300 + random.below(most),
    waitForTaskCommand: random.chance(0.6),
  };
}

function drawRedisFault(random: SeededRandom): Fault {
  const kind = random.pick(['kill', 'kill', 'stop', 'terminate'] as const);
  return {
    pauseMs: 1_500 + random.below(2_500),
    target: 'redis',
    kind,
    durationMs: kind === 'stop' ? 200 + random.below(1_800) : random.below(800),
    waitForTaskCommand: random.chance(0.6),
  };
}

/** One line for a log. */
export function describeFault({ kind, target, durationMs: time, waitForTaskCommand }: Fault): string {
  return `${kind} ${target} for ${time} ms${waitForTaskCommand ? ', between a command and its reply' : ''}`;
}
