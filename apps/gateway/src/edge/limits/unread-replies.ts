import type { ServerResponse } from 'node:http';
import { BatonError } from '@baton/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BufferBudget } from './buffer-budget.ts';
import { LARGE_REPLY_BYTES, LargeReplyStream } from './large-reply-stream.ts';
import { TurnQueue } from './turn-queue.ts';

/** Requests of one key at once to routes whose replies are large: each reads all of it from Redis before there is a reply. */
const MAX_LARGE_REPLIES = 4;
/** So long a further one waits for its turn; whoever reads makes room sooner. */
const MAX_TURN_WAIT_MS = 1_000;

/** Large replies are written in parts, and count as their key's until they were read. Errors: `limit_buffers`. */
export function limitUnreadReplies(app: FastifyInstance, bufferBudget: BufferBudget): void {
  const turns = new TurnQueue(MAX_LARGE_REPLIES, MAX_TURN_WAIT_MS);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.config.repliesLarge !== true) return done();
    const leave = turns.enter(ownerOf(request), (hasTurn) =>
      done(hasTurn ? undefined : tooManyLargeReplies()),
    );
    reply.raw.once('close', leave);
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isWhole || payload.length < LARGE_REPLY_BYTES) return done(null, payload);
    const bytes = Buffer.from(payload as string);
    reply.header('content-length', bytes.length);
    done(null, holdReply(request, reply.raw, bytes));
  });
  app.decorate('bufferBudget', bufferBudget);
}

/** Ends a stream that has begun with a text of any length. */
export function endStreamWithText(request: FastifyRequest, raw: ServerResponse, text: string): void {
  if (text.length < LARGE_REPLY_BYTES) raw.end(text);
  else holdReply(request, raw, Buffer.from(text)).pipe(raw);
}

function holdReply(request: FastifyRequest, raw: ServerResponse, bytes: Buffer): LargeReplyStream {
  const { bufferBudget } = request.server;
  const held = { key: ownerOf(request), bytes: bytes.length, close: () => request.raw.socket.destroy() };
  if (!raw.destroyed) {
    bufferBudget.hold(held);
    raw.once('close', () => bufferBudget.release(held));
  }
  return new LargeReplyStream(bytes);
}

/** Who answers for what a request makes this process hold. */
function ownerOf({ credential }: FastifyRequest): string {
  return credential?.kind === 'key' ? credential.key.text : 'operator';
}

function tooManyLargeReplies(): BatonError {
  return new BatonError(
    'limit_buffers',
    `${MAX_LARGE_REPLIES} large replies are on their way to this key already. Read them, then repeat.`,
    { limit: 'largeReplies', most: MAX_LARGE_REPLIES, retryAfterMs: 1_000 },
  );
}

declare module 'fastify' {
  interface FastifyInstance {
    bufferBudget: BufferBudget;
  }
  interface FastifyContextConfig {
    /** True for a route whose reply may be as large as all that a project holds. */
    repliesLarge?: boolean;
  }
}
