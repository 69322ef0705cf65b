import { once } from 'node:events';
import { createServer } from 'node:net';

/** A cluster node listens on its port and on this much above it. */
const BUS_OFFSET = 10_000;
const LAST_PORT = 65_535;

/**
 * A TCP port on 127.0.0.1 that nobody listens on, whose cluster bus port is free too. Somebody else may take it before
 * the server does; the server then says so and ends.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const first = await listen(0);
    try {
      if (first.port + BUS_OFFSET > LAST_PORT) continue;
      const bus = await listen(first.port + BUS_OFFSET);
      await bus.release();
      return first.port;
    } catch {
      // The bus port is taken: another pair.
    } finally {
      await first.release();
    }
  }
}

async function listen(port: number): Promise<{ port: number; release: () => Promise<void> }> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a TCP server has an address and a port');
  return {
    port: address.port,
    release: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}
