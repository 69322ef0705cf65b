import { MAX_BODY_BYTES } from '@baton/protocol';
import { setImmediate as onImmediate } from 'node:timers';
import { RateLimiter } from './rate-limiter.ts';
import type { ReplyBudget } from './reply-budget.ts';

/** So much of a reply is worked on in one turn of the event loop. */
const MAX_PIECE_BYTES = 4_096;

/** A unit is a line of a stream, of which an event has two, or 1,024 bytes of any reply: some 20 µs of a worker's time. */
const UNITS_PER_SECOND = 8_000;
const BYTES_PER_UNIT = 1_024;

/** What a turn of the event loop costs that a piece made long: a tenant's replies take a quarter of a worker's time in the long run. */
const UNITS_PER_MS = 4 * (UNITS_PER_SECOND / 1_000);
const FREE_TURN_MS = 5;

/** What a tenant's connections may receive (`ReceiveLimit`) is more than this and what is read at the pace above together. */
const RECEIVED_PER_SECOND = 33_554_432;
const MAX_SAVED_RECEIVED = 2_097_152;
/** What a read costs besides its bytes, and what its bytes take of memory at least. */
const READ_COST_BYTES = 8_192;
const MIN_HELD_BYTES = 256;

const NEW_LINE = 0x0a;

/**
 * Reads the replies to one tenant's calls piece by piece, one piece of all of them in a turn of the event loop, and no faster than a
 * worker can read those of several tenants: an endpoint may send events in any number. One call's stream of 4,000 events a second is not held up.
 * A reply that says its length is received whole before it is read at that pace: its endpoint has ended it, and closes the connection
 * some seconds later whether it has been read or not.
 */
export class ReplyThrottle {
  private readonly tenant: string;
  private readonly memory: ReplyBudget;
  private readonly reading = new RateLimiter({ perSecond: UNITS_PER_SECOND, maxSaved: UNITS_PER_SECOND });
  private readonly receiving = new RateLimiter({
    perSecond: RECEIVED_PER_SECOND,
    maxSaved: MAX_SAVED_RECEIVED,
  });

  /** @param memory what its replies hold is counted in. */
  constructor(tenant: string, memory: ReplyBudget) {
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
    const isWhole = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY) <= MAX_BODY_BYTES;
    let held = 0;
    const hold = (bytes: number) => {
      this.memory.hold(this.tenant, bytes);
      held += bytes;
    };
    try {
      for await (const bytes of isWhole ? await this.receive(body, hold, signal) : body)
        for (let from = 0; from < bytes.length; from += MAX_PIECE_BYTES) {
          const piece = bytes.subarray(from, from + MAX_PIECE_BYTES);
          const lines = isJson
            ? 0
            : piece.reduce((count, byte) => (byte === NEW_LINE ? count + 1 : count), 0);
          await this.reading.wait(Math.max(lines, piece.length / BYTES_PER_UNIT), signal);
          this.chargeTurn();
          if (!isWhole) hold(piece.length);
          yield piece;
        }
      // A whole reply is read when its end is known.
      this.chargeTurn();
    } finally {
      this.memory.release(this.tenant, held);
    }
  }

  /** All that a reply sends, or somewhat more than any may have, which is for its reader to refuse. */
  private async receive(
    body: ReadableStream<Uint8Array>,
    hold: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array[]> {
    const received: Uint8Array[] = [];
    let length = 0;
    for await (const bytes of body) {
      hold(Math.max(bytes.length, MIN_HELD_BYTES));
      received.push(bytes);
      length += bytes.length;
      // A small reply may be decoded to one of any size.
      if (length > MAX_BODY_BYTES) break;
      await this.receiving.wait(bytes.length + READ_COST_BYTES, signal);
    }
    return received;
  }

  /** What is passed on now is worked on before this turn of the event loop ends. */
  private chargeTurn(): void {
    const since = performance.now();
    onImmediate(() => {
      const ms = performance.now() - since;
      if (ms > FREE_TURN_MS) this.reading.charge(ms * UNITS_PER_MS);
    });
  }
}
