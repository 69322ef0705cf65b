import type { ServerResponse } from 'node:http';
import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';
import type { BufferBudget, HeldBytes } from './buffer-budget.ts';
import { LARGE_REPLY_BYTES, LargeReplyStream } from './large-reply-stream.ts';
import { TurnQueue } from './turn-queue.ts';

/** Requests of one caller at once to routes whose replies are large: each reads all of it from Redis before there is a reply. */
const MAX_LARGE_REPLIES = 4;
/** So long a further one waits for its turn; whoever reads makes room sooner. */
const MAX_TURN_WAIT_MS = 1_000;

/**
 * Large replies are written in parts, count as their caller's until they were read, and count against its tenant's rate by their
 * bytes: making and sending them holds up everyone of this process. Errors: `limit_buffers`.
 */
export function limitUnreadReplies(
  app: FastifyInstance,
  store: Store,
  bufferBudget: BufferBudget,
  trustProxy: boolean,
): void {
  app.decorate('ownerOfReply', (request: FastifyRequest) => ownerOf(request, trustProxy));
  const turns = new TurnQueue(MAX_LARGE_REPLIES, MAX_TURN_WAIT_MS);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.repliesLarge !== true) return done();
    const leave = turns.enter(app.ownerOfReply(request), (hasTurn) =>
      done(hasTurn ? undefined : tooManyLargeReplies()),
    );
    reply.raw.once('close', leave);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isWhole || payload.length < LARGE_REPLY_BYTES) return done(null, payload);
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : (payload as Buffer);
    reply.header('content-length', bytes.length);
    done(null, holdReply(request, reply.raw, bytes));
  });
  app.decorate('bufferBudget', bufferBudget);
  app.decorate('countReply', ({ credential }: FastifyRequest, bytes: number) => {
    if (credential?.kind !== 'key') return;
    const { key } = credential;
    void store.tenant(key.tenant).caller(key, 0).countReply(bytes);
  });
}

/** Ends a stream that has begun with a text of any length. */
export function endStreamWithText(request: FastifyRequest, raw: ServerResponse, text: string): void {
  if (text.length < LARGE_REPLY_BYTES) raw.end(text);
  else holdReply(request, raw, Buffer.from(text)).pipe(raw);
}

/** Writes parts of a stream that has begun: large ones, and all of a client that does not read, count as the request's until the reply has ended. */
export function streamPartWriter(request: FastifyRequest, raw: ServerResponse): (text: string) => void {
  const hold = holderOf(request, raw);
  return (text) => {
    const part = Buffer.from(text);
    if (part.length >= LARGE_REPLY_BYTES || raw.writableNeedDrain) hold(part.length);
    raw.write(part);
  };
}

function holdReply(request: FastifyRequest, raw: ServerResponse, bytes: Buffer): LargeReplyStream {
  holderOf(request, raw)(bytes.length);
  return new LargeReplyStream(bytes);
}

/** Counts bytes of a reply as its key's until the reply has ended. */
function holderOf(request: FastifyRequest, raw: ServerResponse): (bytes: number) => void {
  const { bufferBudget } = request.server;
  const all: HeldBytes[] = [];
  raw.once('close', () => {
    for (const held of all) bufferBudget.release(held);
  });
  return (bytes) => {
    if (raw.destroyed) return;
    const held = {
      key: request.server.ownerOfReply(request),
      bytes,
      close: () => request.raw.socket.destroy(),
    };
    all.push(held);
    bufferBudget.hold(held);
    request.server.countReply(request, bytes);
  };
}

/** Who answers for what a request makes this process hold: its key, the operator, or, where it shows neither, its address. */
function ownerOf({ credential, raw }: FastifyRequest, trustProxy: boolean): string {
  if (credential === null) return `address ${clientAddress(raw, trustProxy)}`;
  return credential.kind === 'key' ? credential.key.text : 'operator';
}

function tooManyLargeReplies(): BatonError {
  return new BatonError(
    'limit_buffers',
    `${MAX_LARGE_REPLIES} large replies are on their way to this caller already. Read them, then repeat.`,
    { limit: 'largeReplies', most: MAX_LARGE_REPLIES, retryAfterMs: 1_000 },
  );
}

declare module 'fastify' {
  interface FastifyInstance {
    bufferBudget: BufferBudget;
    /** Who answers for the bytes of a reply. */
    ownerOfReply(request: FastifyRequest): string;
    /** Counts a large reply against its tenant's rate. */
    countReply(request: FastifyRequest, bytes: number): void;
  }
  interface FastifyContextConfig {
    /** True for a route whose reply may be as large as all that a project holds. */
    repliesLarge?: boolean;
  }
}
