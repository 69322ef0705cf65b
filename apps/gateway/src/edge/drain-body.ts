import type { IncomingMessage } from 'node:http';
import { PIECE_WEIGHT } from './read-body.ts';

const MAX_MS = 1_000;

/**
 * Reads and discards the rest of a request's body, up to `most` bytes and for up to a second; returns how many there were, as `readBody` counts them. A
 * connection that closes while its client still writes is reset, and takes with it the response that says what was wrong.
 */
export function drainBody(request: IncomingMessage, most: number): Promise<number> {
  if (request.complete || request.destroyed) return Promise.resolve(0);
  return new Promise((resolve) => {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += Math.max(chunk.length, PIECE_WEIGHT);
      if (bytes > most) done();
    };
    const done = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('error', done).off('close', done);
      request.pause();
      resolve(bytes);
    };
    const timer = setTimeout(done, MAX_MS);
    request.on('data', count).on('end', done).on('error', done).on('close', done);
    request.resume();
  });
}
