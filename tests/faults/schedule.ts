import { randomOf, type Random } from '../scripted-agent/random.ts';

/** What befalls one process, or its way to Redis. Durations are milliseconds. */
export interface Fault {
  /** The pause since the fault before it in its lane was over. */
  readonly after: number;
  readonly target: string;
  /**
   * `kill`, `stop` and `terminate` end or stop the process, `stutter` lets it run only now and then; `slow`, `cut` and
   * `hold` befall its way to Redis.
   */
  readonly what: 'kill' | 'terminate' | 'stop' | 'stutter' | 'slow' | 'cut' | 'hold';
  readonly for: number;
  /** Strikes right after a command about a task was sent, before its reply is read, instead of at any time. */
  readonly onTask: boolean;
}

/**
 * Three lanes side by side, so that there is always a worker and a gateway that lives, as there is in a deployment that
 * has more than one of each: of each kind one at a time is struck, and Redis, of which there is one.
 */
export interface Schedule {
  readonly gateways: readonly Fault[];
  readonly workers: readonly Fault[];
  readonly redis: readonly Fault[];
}

/** The same seed gives the same faults, in the same order in each lane. */
export function schedule(seed: number, gateways: number, workers: number): Schedule {
  const random = randomOf(`faults of ${seed}`);
  return {
    gateways: Array.from({ length: 5 }, () => ofMember(random, `gateway-${random.below(gateways)}`, 2_500)),
    workers: Array.from({ length: 5 }, () => ofMember(random, `worker-${random.below(workers)}`, 3_500)),
    redis: Array.from({ length: 3 }, () => ofRedis(random)),
  };
}

const WAYS = ['kill', 'kill', 'stop', 'stop', 'terminate', 'stutter', 'slow', 'cut', 'hold'] as const;

/** What stops for longer than the leases does so in half of the cases. */
function ofMember(random: Random, target: string, most: number): Fault {
  const what = random.pick(WAYS);
  return {
    after: 200 + random.below(1_000),
    target,
    what,
    for: what === 'kill' || what === 'terminate' ? random.below(600) : 300 + random.below(most),
    onTask: random.chance(0.6),
  };
}

function ofRedis(random: Random): Fault {
  const what = random.pick(['kill', 'kill', 'stop', 'terminate'] as const);
  return {
    after: 1_500 + random.below(2_500),
    target: 'redis',
    what,
    for: what === 'stop' ? 200 + random.below(1_800) : random.below(800),
    onTask: random.chance(0.6),
  };
}

/** One line for a log. */
export function describe({ what, target, for: time, onTask }: Fault): string {
  return `${what} ${target} for ${time} ms${onTask ? ', between a command and its reply' : ''}`;
}
