import { seededRandom, type SeededRandom } from '../../harness/seeded-random.ts';

/** One fault of a process or of its connection to Redis. */
export interface Fault {
  /** Pause after the previous fault of its lane. */
  readonly pauseMs: number;
  readonly target: string;
  /**
   * `kill`, `terminate` and `stop` are signals to the process, `stutter` stops it again and again; `slow`, `cut` and
   * `hold` apply to its connection to Redis. A Redis that is `slow` answers each command of all processes late.
   */
  readonly kind: 'kill' | 'terminate' | 'stop' | 'stutter' | 'slow' | 'cut' | 'hold';
  readonly durationMs: number;
  /** Starts right after a command about a task was sent, before its reply is read. */
  readonly waitForTaskCommand: boolean;
}

/**
 * Three lanes in parallel, one for gateways, workers and Redis each. A lane has one fault at a time, so that one gateway
 * and one worker always run, as in a deployment with two of each.
 */
export interface FaultSchedule {
  readonly gateways: readonly Fault[];
  readonly workers: readonly Fault[];
  readonly redis: readonly Fault[];
}

/** The same seed gives the same schedule. */
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

/** About half of the stops last longer than a job's lock. */
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
  const kind = random.pick(['kill', 'kill', 'stop', 'terminate', 'slow', 'slow'] as const);
  return {
    pauseMs: 1_500 + random.below(2_500),
    target: 'redis',
    kind,
    durationMs: kind === 'stop' || kind === 'slow' ? 200 + random.below(1_800) : random.below(800),
    waitForTaskCommand: random.chance(0.6),
  };
}

/** One line for a log. */
export function describeFault({ kind, target, durationMs: time, waitForTaskCommand }: Fault): string {
  return `${kind} ${target} for ${time} ms${waitForTaskCommand ? ', between a command and its reply' : ''}`;
}
