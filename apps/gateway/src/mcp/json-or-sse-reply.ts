import type { FastifyReply } from 'fastify';
import { SSE_HEADERS, sseComment, sseMessage } from '../edge/sse.ts';
import { endStreamWithText } from '../edge/limits/unread-replies.ts';

/** A reply that takes longer becomes a stream, so that the client and every proxy see that it lives. */
const JSON_WITHIN_MS = 3_000;
const COMMENT_EVERY_MS = 5_000;

/**
 * Replies with a response through `send` if it comes soon, and otherwise, to a client that accepts it, as an SSE stream
 * with comments until the response comes (MCP, basic/transports: the server chooses).
 */
export async function sendJsonOrSse<Response extends { readonly json: string }>(
  reply: FastifyReply,
  pending: Promise<Response>,
  acceptsStream: boolean,
  send: (response: Response) => unknown,
): Promise<unknown> {
  if (!acceptsStream) return send(await pending);
  const early = await settledWithin(pending, JSON_WITHIN_MS);
  if (early !== undefined) return send(early);

  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS });
  raw.write(sseComment('held'));
  const comments = setInterval(() => raw.write(sseComment('held')), COMMENT_EVERY_MS);
  try {
    const { json } = await pending;
    endStreamWithText(reply.request, raw, sseMessage(json));
  } finally {
    clearInterval(comments);
  }
  return reply;
}

/** Undefined when it has not settled by then. */
function settledWithin<T>(pending: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    const settled = () => clearTimeout(timer);
    pending.then(resolve, reject).then(settled, settled);
  });
}
