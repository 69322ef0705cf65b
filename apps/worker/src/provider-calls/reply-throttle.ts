import { setImmediate as onImmediate } from 'node:timers';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ReplyMemory } from './reply-memory.ts';

/** So much of a reply is worked on in one turn of the event loop. */
const MAX_PIECE_BYTES = 4_096;

/** A unit is a line of a stream, of which an event has two, or 1,024 bytes of any reply: some 20 µs of a worker's time. */
const UNITS_PER_SECOND = 8_000;
const MAX_UNITS = 8_000;
const BYTES_PER_UNIT = 1_024;

/** A shorter wait than so many milliseconds is put off. */
const MIN_WAIT_MS = 5;

/** What a turn of the event loop costs that a piece made long: a tenant's replies take a quarter of a worker's time in the long run. */
const UNITS_PER_MS = 4 * (UNITS_PER_SECOND / 1_000);
const FREE_TURN_MS = 5;

const NEW_LINE = 0x0a;

/**
 * Reads the replies to one tenant's calls piece by piece, one piece of all of them in a turn of the event loop, and no faster than a
 * worker can read those of several tenants: an endpoint may send events in any number. One call's stream of 4,000 events a second is not held up.
 */
export class ReplyThrottle {
  private readonly tenant: string;
  private readonly memory: ReplyMemory;
  private units = MAX_UNITS;
  private refilledAt = performance.now();
  private lastTurn: Promise<unknown> = Promise.resolve();

  /** @param memory what its replies hold is counted in. */
  constructor(tenant: string, memory: ReplyMemory) {
    this.tenant = tenant;
    this.memory = memory;
  }

  /** The reply with its body at this pace; its errors are those of the body and of `memory`, and the reason of the call's `signal`. */
  of(reply: Response, signal: AbortSignal | undefined): Response {
    const { body } = reply;
    if (body === null) return reply;
    return new Response(ReadableStream.from(this.piecesOf(body, reply, signal)), reply);
  }

  private async *piecesOf(
    body: ReadableStream<Uint8Array>,
    { headers }: Response,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    const isJson = headers.get('content-type')?.includes('json') === true;
    let held = 0;
    try {
      for await (const bytes of body)
        for (let from = 0; from < bytes.length; from += MAX_PIECE_BYTES) {
          const piece = bytes.subarray(from, from + MAX_PIECE_BYTES);
          const lines = isJson
            ? 0
            : piece.reduce((count, byte) => (byte === NEW_LINE ? count + 1 : count), 0);
          await this.turn(Math.max(lines, piece.length / BYTES_PER_UNIT), signal);
          this.memory.hold(this.tenant, piece.length);
          held += piece.length;
          yield piece;
        }
      // A whole reply is read when its end is known.
      this.chargeTurn();
    } finally {
      this.memory.release(this.tenant, held);
    }
  }

  private turn(units: number, signal: AbortSignal | undefined): Promise<void> {
    const turn = this.lastTurn.then(() => this.pay(units, signal));
    this.lastTurn = turn.catch(() => {});
    return turn;
  }

  private async pay(units: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const now = performance.now();
    const refill = ((now - this.refilledAt) / 1_000) * UNITS_PER_SECOND;
    this.units = Math.min(MAX_UNITS, this.units + refill) - units;
    this.refilledAt = now;
    const waitMs = (-this.units / UNITS_PER_SECOND) * 1_000;
    if (waitMs < MIN_WAIT_MS) await setImmediate();
    else await setTimeout(waitMs, undefined, { signal });
    this.chargeTurn();
  }

  /** What is passed on now is worked on before this turn of the event loop ends. */
  private chargeTurn(): void {
    const since = performance.now();
    onImmediate(() => {
      const ms = performance.now() - since;
      // What stopped the whole process, such as a pause of its machine, costs a second at most.
      if (ms > FREE_TURN_MS) this.units = Math.max(-MAX_UNITS, this.units - ms * UNITS_PER_MS);
    });
  }
}
