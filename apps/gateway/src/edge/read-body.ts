import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BatonError, MAX_BODY_BYTES } from '@baton/protocol';
import { refusalError } from '@baton/store';
import type { FastifyRequest } from 'fastify';

/** A piece of a body, as a chunk of HTTP, counts as so many bytes at least: a byte for itself costs as much memory and time. */
export const PIECE_WEIGHT = 64;
/** Pieces are joined, so many at a time: each by itself would keep what it was read with. */
const JOINED_PIECES = 64;
/** The bytes that frame a body may be twice as many as it counts, and so many more, which may be those of the next request. */
const MAX_FRAMING_BYTES = 131_072;

/**
 * Reads a body as UTF-8, up to the request's `maxBodyBytes`: a longer one is cut off where it exceeds them, or before it begins
 * if it says how long it is, and the rest stays unread. So is one that comes in too many pieces, or with more around its chunks than in them.
 * `request.bodyBytes` counts what was read. What is no UTF-8, or says that it is something else, is refused: to read it nevertheless
 * would change it.
 */
export function readBody(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body: string) => void,
): void {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > request.maxBodyBytes) {
    done(tooLarge(request, announced), '');
    return;
  }
  const joined: Buffer[] = [];
  let last: Buffer[] = [];
  let pieces = 0;
  const { socketBytesBeforeBody } = request;
  const onData = (piece: Buffer) => {
    pieces++;
    request.bodyBytes += piece.length;
    request.bodyWeight = Math.max(request.bodyBytes, pieces * PIECE_WEIGHT);
    const sent = socketBytesBeforeBody === undefined ? 0 : payload.socket.bytesRead - socketBytesBeforeBody;
    const problem = problemOfSize(request, pieces, sent);
    if (problem !== undefined) {
      payload.pause();
      settle(problem);
      return;
    }
    last.push(piece);
    if (last.length < JOINED_PIECES) return;
    joined.push(Buffer.concat(last));
    last = [];
  };
  const onEnd = () => settle(null);
  const onError = () => settle(new BatonError('invalid_arguments', 'The body ended before it was complete.'));
  const settle = (error: Error | null) => {
    payload.off('data', onData).off('end', onEnd).off('error', onError);
    const [first] = last;
    const bytes = first !== undefined && pieces === 1 ? first : Buffer.concat([...joined, ...last]);
    const problem = error ?? problemOfEncoding(request, bytes);
    done(problem, problem === null ? bytes.toString('utf8') : '');
  };
  payload.on('data', onData).on('end', onEnd).on('error', onError);
}

function problemOfSize(request: FastifyRequest, pieces: number, sent: number): BatonError | undefined {
  const { bodyBytes: bytes, bodyWeight: weight, maxBodyBytes: most } = request;
  if (bytes > most) return tooLarge(request, bytes);
  const details = { limit: 'requestBytes', bytes: weight, most };
  if (weight > most)
    return new BatonError(
      'limit_size',
      `The body has come in ${pieces} pieces of ${bytes} bytes in all. Each counts as ${PIECE_WEIGHT} bytes at least, and ${most} are allowed: send it in larger chunks.`,
      details,
    );
  if (sent > 2 * weight + MAX_FRAMING_BYTES)
    return new BatonError(
      'limit_size',
      `Around the ${bytes} bytes of the body, ${sent - bytes} were sent to frame its chunks: send it without chunk extensions.`,
      details,
    );
  return undefined;
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
    /** What its connection had received when the request of a body in chunks began; undefined for other bodies. */
    socketBytesBeforeBody: number | undefined;
    /** The most that are read: the tenant's `requestBytes` where they are known. */
    maxBodyBytes: number;
  }
}
