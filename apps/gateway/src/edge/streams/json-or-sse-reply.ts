import type { FastifyReply } from 'fastify';
import { endStreamWithText, streamPartWriter } from '../limits/unread-replies.ts';
import { SSE_HEADERS, sseComment, sseEventWithId, sseMessage } from './sse.ts';

/** A reply that takes longer becomes a stream, so that the client and every proxy see that it lives. */
export const JSON_WITHIN_MS = 3_000;
const COMMENT_EVERY_MS = 5_000;

/** Sends the client what it is told before the response, as the JSON that leaves; with an id by which the stream can be resumed behind it. */
export type Notify = (json: string, id?: string) => void;

export interface ReplyOptions<Response> {
  /** Whether the client takes a stream. */
  readonly acceptsStream: boolean;
  /** Whether a response must be a stream, since its client takes nothing else; a refusal has a status, and is JSON. */
  readonly mustStream?: (response: Response) => boolean;
  /** Until its caller is admitted, a request has no reply: a refusal has a status, which a stream that has begun has not. */
  readonly isAdmitted: () => boolean;
}

/**
 * Replies with the response of `respond` through `send` if it comes soon and nothing is to be told before it, and otherwise, to
 * a client that accepts it, as an SSE stream with comments and notifications until the response comes (MCP,
 * basic/transports: the server chooses). So what is refused at once has its status, whether progress was asked for or not.
 */
export async function sendJsonOrSse<
  Response extends { readonly json: string; readonly parts?: readonly string[] },
>(
  reply: FastifyReply,
  respond: (notify: Notify | undefined) => Promise<Response>,
  { acceptsStream, mustStream = () => false, isAdmitted }: ReplyOptions<Response>,
  send: (response: Response) => unknown,
): Promise<unknown> {
  if (!acceptsStream) return send(await respond(undefined));
  const stream = new LateStream(reply);
  const comment = () => {
    if (isAdmitted()) stream.write(sseComment('held'));
    timer = setTimeout(comment, COMMENT_EVERY_MS);
  };
  let timer = setTimeout(comment, JSON_WITHIN_MS);
  try {
    const response = await respond((json, id) =>
      stream.write(id === undefined ? sseMessage(json) : sseEventWithId('message', json, id)),
    );
    if (!stream.hasBegun && !mustStream(response)) return send(response);
    if (!stream.hasBegun) stream.write(sseComment('open'));
    const { parts = [response.json] } = response;
    stream.end(parts.map(sseMessage).join(''));
    return reply;
  } catch (thrown) {
    if (stream.hasBegun) reply.raw.destroy();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** An SSE stream whose head leaves with its first part. */
class LateStream {
  private readonly reply: FastifyReply;
  private writePart: ((text: string) => void) | undefined;

  constructor(reply: FastifyReply) {
    this.reply = reply;
  }

  get hasBegun(): boolean {
    return this.writePart !== undefined;
  }

  write(text: string): void {
    if (this.reply.raw.destroyed) return;
    this.writePart ??= this.begin();
    this.writePart(text);
  }

  end(text: string): void {
    endStreamWithText(this.reply.request, this.reply.raw, text);
  }

  private begin(): (text: string) => void {
    const { reply } = this;
    reply.hijack();
    reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...SSE_HEADERS });
    return streamPartWriter(reply.request, reply.raw);
  }
}
