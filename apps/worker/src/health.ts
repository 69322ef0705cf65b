import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { troubleOf } from '@baton/store';

/** Rounds of the sweep follow each other within a second; Redis may hold one up for its command timeout, twice. */
const STUCK_AFTER_MS = 15_000;

export interface Signs {
  /** When the sweep last began a round, by `performance.now()`. */
  readonly turnedAt: () => number;
  /** Rejects when Redis does not answer now. */
  readonly ping: () => Promise<void>;
  readonly draining: () => boolean;
}

/**
 * A worker's own port, for whatever watches it. `/healthz`: its loop turns, so ending it would help nobody, whatever
 * Redis does. `/readyz`: it takes work, so besides that Redis answers and it is not draining. Port 0 takes a free one.
 */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  signs: Signs,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    const say = (status: number, text: string) =>
      response
        .writeHead(status, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify({ status: text }));
    const stuck = !signs.draining() && performance.now() - signs.turnedAt() > STUCK_AFTER_MS;
    if (request.url !== '/healthz' && request.url !== '/readyz') say(404, 'not found');
    else if (stuck) say(503, 'stuck');
    else if (request.url === '/healthz') say(200, 'ok');
    else if (signs.draining()) say(503, 'draining');
    else
      signs.ping().then(
        () => say(200, 'ready'),
        (error: unknown) => say(503, troubleOf(error)),
      );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
