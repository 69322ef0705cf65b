import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type DelegatedCall, isRecord, type JsonObject, readObject, readText } from '@baton/protocol';

/** How long one check may take. A schema that is made to be slow is left to Baton, which bounds it too. */
const LIMIT_MS = 1_000;

/** Whether answers fit what was asked for, found out in a thread that can be ended. */
export class FitCheck {
  private thread: Promise<Worker> | undefined;
  private queue: Promise<unknown> = Promise.resolve();

  /** What is wrong with an answer's data, or undefined. Nothing is wrong with what cannot be checked here. */
  async problemOf(call: DelegatedCall, data: unknown): Promise<string | undefined> {
    if (isRecord(data) && Array.isArray(data['toolCalls']) && data['toolCalls'].length > 0) return undefined;
    const { schema } = call.request;
    if (schema !== undefined) return this.problemWith(schema, data);
    const fit = call.serviceType === 'generateObject' ? readObject(data, anyObject) : readText(data);
    return fit.ok ? undefined : fit.problem;
  }

  async close(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await (await thread)?.terminate();
  }

  private async problemWith(schema: JsonObject, data: unknown): Promise<string | undefined> {
    const candidates: unknown[] = [];
    readObject(data, {
      hasObjectField: false,
      check(value) {
        candidates.push(value);
        return { ok: false, problem: '' };
      },
    });
    const problems = await this.ask(schema, candidates);
    if (problems === undefined) return undefined;
    const verdicts = new Map(candidates.map((value, at) => [JSON.stringify(value), problems[at] ?? null]));
    const { properties } = schema;
    const fit = readObject(data, {
      hasObjectField: isRecord(properties) && Object.hasOwn(properties, 'object'),
      check(value) {
        const problem = verdicts.get(JSON.stringify(value));
        return problem === null
          ? { ok: true, value }
          : { ok: false, problem: problem ?? 'it was not checked' };
      },
    });
    return fit.ok ? undefined : fit.problem;
  }

  /** One problem or null per value, or undefined for a schema that is of no use. One at a time: a thread is ended whole. */
  private ask(schema: JsonObject, values: readonly unknown[]): Promise<(string | null)[] | undefined> {
    const turn = this.queue.then(() => this.askNow(schema, values));
    this.queue = turn.catch(() => {});
    return turn;
  }

  private async askNow(schema: JsonObject, values: readonly unknown[]) {
    const thread = await (this.thread ??= startThread());
    const timeout = AbortSignal.timeout(LIMIT_MS);
    thread.ref();
    try {
      const reply = once(thread, 'message', { signal: timeout });
      thread.postMessage({ schema, values });
      const [problems] = (await reply) as [(string | null)[] | string];
      return typeof problems === 'string' ? undefined : problems;
    } catch {
      // Too slow, or the thread died of it: the next check gets a new one.
      this.thread = undefined;
      await thread.terminate();
      return undefined;
    } finally {
      thread.unref();
    }
  }
}

/** A thread that has loaded what it needs, so that only the check itself is timed. */
async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./fit-thread.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    execArgv: [],
  });
  await once(thread, 'message');
  // An error that comes when nobody asks would end the process.
  thread.on('error', () => {});
  // A thread that has nothing to do must not keep the process from ending.
  thread.unref();
  return thread;
}

/** Without a schema anything fits but words, which may yet be JSON. */
const anyObject = {
  hasObjectField: false,
  check: (value: unknown) =>
    typeof value === 'string'
      ? ({ ok: false, problem: 'an object was asked for' } as const)
      : ({ ok: true, value } as const),
};
