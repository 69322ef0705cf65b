import type { FastifyReply } from 'fastify';

/** A reply that takes longer becomes a stream, so that the client and every proxy see that it lives. */
const JSON_WITHIN_MS = 3_000;
const COMMENT_EVERY_MS = 5_000;

/**
 * Replies with a response, which is JSON, if it comes soon, and otherwise, to a client that accepts it, as an SSE stream with
 * comments until the response comes (MCP, basic/transports: the server chooses).
 */
export async function sendJsonOrSse(
  reply: FastifyReply,
  pending: Promise<string>,
  accepts: { stream: boolean },
  send: (response: string) => unknown,
): Promise<unknown> {
  if (!accepts.stream) return send(await pending);
  const soon = await settledWithin(pending, JSON_WITHIN_MS);
  if (soon !== undefined) return send(soon);

  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  raw.write(': held\n\n');
  const comments = setInterval(() => raw.write(': held\n\n'), COMMENT_EVERY_MS);
  try {
    raw.end(`event: message\ndata: ${await pending}\n\n`);
  } finally {
    clearInterval(comments);
  }
  return reply;
}

function settledWithin<T>(pending: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    const settled = () => clearTimeout(timer);
    pending.then(resolve, reject).then(settled, settled);
  });
}
