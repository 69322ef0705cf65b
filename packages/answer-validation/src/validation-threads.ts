import { fileURLToPath } from 'node:url';
import { Piscina, queueOptionsSymbol } from 'piscina';
import { MAX_RUNNING, type Turn } from './check-turns.ts';

/** A schema as text, found again by its tenant and digest, and values as JSON text. */
export interface SchemaCheck {
  readonly tenant: string;
  readonly digest: string;
  readonly schema: string;
  readonly values: readonly string[];
}

/** One problem or null per value, up to the first that fits; or what is wrong with the schema. */
export type CheckResult = readonly (string | null)[] | string;

/** A check may take so much of its thread's time. */
export const MAX_CHECK_MS = 1_000;
const MAX_START_MS = 20_000;
const IDLE_MS = 600_000;

/**
 * The threads that callers' schemas may block. A thread that does not end in time is terminated, and the next check starts
 * another; each keeps the schemas that it has compiled (validation-thread.mjs).
 */
export class ValidationThreads {
  private readonly pool = new Piscina({
    filename: fileURLToPath(new URL('./validation-thread.mjs', import.meta.url)),
    minThreads: 0,
    maxThreads: MAX_RUNNING,
    idleTimeout: IDLE_MS,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    loadBalancer(task, workers) {
      // Those that have started come last.
      const idle = workers.findLast(({ currentUsage }) => currentUsage === 0);
      if (idle !== undefined) (task[queueOptionsSymbol] as CheckListener).onBegin();
      return idle ?? null;
    },
  });

  constructor() {
    // A thread that dies while it does nothing; the next check starts another.
    this.pool.on('error', () => {});
  }

  /** Runs a check and ends its turn; undefined when the turn was taken away before the check ended. */
  async run(check: SchemaCheck, turn: Turn): Promise<CheckResult | undefined> {
    let since = performance.now();
    let timer = setTimeout(() => turn.stop.abort(TOO_SLOW), MAX_START_MS);
    const onBegin = () => {
      since = performance.now();
      turn.began();
      clearTimeout(timer);
      // A late timer must not overtake a result that has come.
      timer = setTimeout(() => setImmediate(() => turn.stop.abort(TOO_SLOW)), MAX_CHECK_MS);
    };
    const task = Object.assign({ [queueOptionsSymbol]: { onBegin } satisfies CheckListener }, check);
    try {
      const { ms, result } = await this.pool.run(task, { signal: turn.stop.signal });
      turn.end('done', ms);
      return result;
    } catch (error) {
      const { reason } = turn.stop.signal;
      const isPreempted = turn.stop.signal.aborted && reason !== TOO_SLOW;
      turn.end(isPreempted ? 'preempted' : 'killed', performance.now() - since);
      if (isPreempted) return undefined;
      return reason === TOO_SLOW ? TOO_SLOW : (error as Error).message;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

const TOO_SLOW = `it takes longer than ${MAX_CHECK_MS} ms to check`;

/** Piscina gives it to the balancer, which is asked when a thread takes the check. */
interface CheckListener {
  onBegin(): void;
}
