import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { BatonError, type Validation, type Json, type JsonObject, extractObject } from '@baton/protocol';

/**
 * Validates values against callers' JSON Schemas in a worker thread: such a schema may be crafted to be slow, so a
 * validation longer than `LIMIT_MS` is terminated with its thread, and the next one starts a new thread.
 */
export class CallerSchemaValidator {
  private thread: Promise<Worker> | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  /**
   * Reads an answer's data by the contract's order, against a caller's schema.
   * Errors: `schema_unusable`, when the schema is at fault and no answer could ever fit.
   */
  async validateAnswer(schema: JsonObject, data: Json): Promise<Validation<Json>> {
    const candidates = dataCandidates(data);
    const problems = await this.ask(schema, candidates);
    if (typeof problems === 'string')
      throw new BatonError(
        'schema_unusable',
        `No answer can be checked: ${problems}. Start the call again with another schema.`,
      );
    const verdicts = new Map(
      candidates.map((value, index) => [JSON.stringify(value), problems[index] ?? null]),
    );
    return extractObject<Json>(data, {
      hasObjectField: hasField(schema, 'object'),
      check(value) {
        const problem = verdicts.get(JSON.stringify(value));
        if (problem === null) return { ok: true, value: value as Json };
        return { ok: false, problem: problem ?? 'it was not checked' };
      },
    });
  }

  /** Refuses a schema that cannot be compiled in time. Errors: `invalid_arguments` naming `field`. */
  async requireUsableSchema(schema: JsonObject, field: string): Promise<void> {
    const problems = await this.ask(schema, []);
    if (typeof problems !== 'string') return;
    throw new BatonError('invalid_arguments', `${field}: ${problems}`, { field });
  }

  async close(): Promise<void> {
    await (await this.thread)?.terminate();
    this.thread = undefined;
  }

  /** One problem or null per value, or what is wrong with the schema. One at a time: a thread is ended whole. */
  private ask(schema: JsonObject, values: readonly Json[]): Promise<(string | null)[] | string> {
    const turn = this.queue.then(() => this.askNow(schema, values));
    this.queue = turn.catch(() => {});
    return turn;
  }

  /** The thread, started anew when there is none: it may have died, or never have come up. */
  private ready(): Promise<Worker> {
    if (this.thread !== undefined) return this.thread;
    const starting = startThread();
    const forget = () => {
      if (this.thread === starting) this.thread = undefined;
    };
    starting.then((thread) => thread.once('exit', forget), forget);
    this.thread = starting;
    return starting;
  }

  private async askNow(schema: JsonObject, values: readonly Json[]): Promise<(string | null)[] | string> {
    const thread = await this.ready();
    const reply = await new Promise<(string | null)[] | Error | Interrupted>((resolve) => {
      const finish = (result: (string | null)[] | Error | Interrupted) => {
        clearTimeout(timer);
        thread.unref();
        thread.off('message', finish).off('error', fail);
        resolve(result);
      };
      const fail = ({ message }: Error) => finish({ interrupted: message });
      const timer = setTimeout(
        () => finish({ interrupted: `it takes longer than ${LIMIT_MS} ms to check` }),
        LIMIT_MS,
      );
      // Whoever asks is waiting for it.
      thread.ref();
      thread.on('message', finish).on('error', fail);
      thread.postMessage({ schema, values });
    });
    if (Array.isArray(reply)) return reply;
    if (reply instanceof Error) return unusable(reply.message);
    this.thread = undefined;
    await thread.terminate();
    return unusable(reply.interrupted);
  }
}

/** A check that did not end: its thread goes with it. */
interface Interrupted {
  readonly interrupted: string;
}

const unusable = (problem: string) => `the schema cannot be used: ${problem.slice(0, 500)}`;

const LIMIT_MS = 1_000;

/** A thread that has loaded what it needs, so that only the check itself is timed. */
async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./validation-thread.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    execArgv: [],
  });
  await once(thread, 'message');
  // An error that comes when nobody asks would end the process; the thread's exit, which follows, is seen to.
  thread.on('error', () => {});
  // A thread that has nothing to do must not keep the process from ending.
  thread.unref();
  return thread;
}

/** Every reading of an answer's data that the contract knows. */
function dataCandidates(data: Json): Json[] {
  const found: Json[] = [];
  const probe = {
    hasObjectField: false,
    check(value: unknown): Validation<never> {
      found.push(value as Json);
      return { ok: false, problem: '' };
    },
  };
  extractObject(data, probe);
  return found;
}

function hasField(schema: JsonObject, field: string): boolean {
  const { properties } = schema;
  return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, field);
}
