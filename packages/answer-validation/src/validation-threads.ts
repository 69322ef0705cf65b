import { fileURLToPath } from 'node:url';
import { BatonError } from '@baton/protocol';
import { Piscina } from 'piscina';
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

/**
 * The threads that callers' schemas may block. One that does not end its check in time is terminated, and another is
 * started at once, so that the next check finds one that is ready. Each keeps the schemas that it has compiled
 * (validation-thread.mjs).
 */
export class ValidationThreads {
  private readonly pool = new Piscina({
    filename: fileURLToPath(new URL('./validation-thread.mjs', import.meta.url)),
    minThreads: MAX_RUNNING,
    maxThreads: MAX_RUNNING,
    // Piscina tries require() before import(). Node 20 aborts the process where a thread ends while require() loads an ES module.
    execArgv: ['--no-experimental-require-module'],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  private lastCheck = 0;
  /** By number, the checks whose threads have not said that they begin. */
  private readonly starting = new Map<number, () => void>();
  private isClosed = false;

  constructor() {
    this.pool.on('message', (check: number) => this.starting.get(check)?.());
    // A thread that dies while it does nothing is replaced like any other.
    this.pool.on('error', () => {});
  }

  /**
   * Runs a check and ends its turn; undefined when the turn was taken away before the check ended. Errors: `unavailable`,
   * when the process stops or no thread starts, which says nothing of the schema.
   */
  async run(check: SchemaCheck, turn: Turn): Promise<CheckResult | undefined> {
    const number = ++this.lastCheck;
    let since: number | undefined;
    let timer = setTimeout(() => turn.stop.abort(TOO_SLOW), MAX_START_MS);
    this.starting.set(number, () => {
      since = performance.now();
      turn.began();
      clearTimeout(timer);
      // A late timer must not overtake a result that has come.
      timer = setTimeout(() => setImmediate(() => turn.stop.abort(TOO_SLOW)), MAX_CHECK_MS);
    });
    try {
      const { ms, result } = await this.pool.run({ number, check }, { signal: turn.stop.signal });
      turn.end('done', ms);
      return result;
    } catch (error) {
      const { aborted, reason } = turn.stop.signal;
      const ms = since === undefined ? 0 : performance.now() - since;
      if (aborted && reason !== TOO_SLOW) {
        turn.end('preempted', ms);
        return undefined;
      }
      if (since === undefined || this.isClosed) {
        turn.end('done', ms);
        const message = 'No thread is there to check a schema. Repeat the call.';
        throw new BatonError('unavailable', message, { taken: false });
      }
      turn.end('killed', ms);
      return aborted ? TOO_SLOW : (error as Error).message;
    } finally {
      this.starting.delete(number);
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.pool.destroy();
  }
}

const TOO_SLOW = `it takes longer than ${MAX_CHECK_MS} ms to check`;
