import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BatonError, MAX_BODY_BYTES } from '@baton/protocol';
import { refusalError } from '@baton/store';
import type { FastifyRequest } from 'fastify';

/**
 * Reads a body as UTF-8, up to the request's `maxBodyBytes`: a longer one is cut off where it exceeds them, or before it begins
 * if it says how long it is, and the rest stays unread. `request.bodyBytes` counts what was read. What is no UTF-8, or says that it is
 * something else, is refused: to read it nevertheless would change it.
 */
export function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body: string) => void,
): void {
  const chunks: Buffer[] = [];
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > request.maxBodyBytes) {
    done(tooLarge(request, announced), '');
    return;
  }
  const onData = (chunk: Buffer) => {
    request.bodyBytes += chunk.length;
    if (request.bodyBytes > request.maxBodyBytes) {
      payload.pause();
      settle(tooLarge(request, request.bodyBytes));
      return;
    }
    chunks.push(chunk);
  };
  const onEnd = () => settle(null);
  const onError = () => settle(new BatonError('invalid_arguments', 'The body ended before it was complete.'));
  const settle = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    const [first] = chunks;
    const bytes = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
    const problem = error ?? problemOfEncoding(request, bytes);
    done(problem, problem === null ? bytes.toString('utf8') : '');
  };
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

function problemOfEncoding({ headers }: FastifyRequest, bytes: Buffer): BatonError | null {
  const charset = /charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^(utf-?8|us-ascii)$/i.test(charset) || encoding !== 'identity')
    return new BatonError(
      'unsupported_media_type',
      `The body must be plain UTF-8; it says charset ${charset.slice(0, 40)}, encoding ${encoding.slice(0, 40)}.`,
    );
  return isUtf8(bytes) ? null : new MalformedBodyError('is not UTF-8. Send its text as UTF-8.');
}

/** The body is no text, no JSON, or JSON that Baton does not take. MCP answers it with its own code (-32700). */
export class MalformedBodyError extends BatonError {
  constructor(reason: string) {
    super('invalid_arguments', `The body ${reason}`);
  }
}

function tooLarge({ maxBodyBytes }: FastifyRequest, bytes: number): BatonError {
  if (maxBodyBytes < MAX_BODY_BYTES) return refusalError(['limit_size', 'requestBytes', bytes, maxBodyBytes]);
  return bodyTooLargeError(maxBodyBytes);
}

/** Of a body that no limit of a tenant allows. */
export function bodyTooLargeError(most: number): BatonError {
  return new BatonError(
    'limit_size',
    `The body is larger than ${most} bytes, which is the most that is taken here.`,
    {
      limit: 'body',
      most,
    },
  );
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the body that were read. */
    bodyBytes: number;
    /** The most that are read: the tenant's `requestBytes` where they are known. */
    maxBodyBytes: number;
  }
}
