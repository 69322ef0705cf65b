/** For tests: something that listens where a Redis should. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Answers each command that comes on a connection of such a number, from 0, with a reply of RESP. */
export function startFakeRedis(replyTo: (command: string, connection: number) => string): Promise<string> {
  return startFakeServer((socket, connection) => {
    socket.on('data', (command) => socket.write(replyTo(command.toString(), connection)));
  });
}

/** Listens on a free port of 127.0.0.1 until the test ends; `serve` gets each connection and its number from 0. */
export async function startFakeServer(serve: (socket: Socket, number: number) => void): Promise<string> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket, connections++);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a TCP server has an address and a port');
  return `redis://127.0.0.1:${address.port}`;
}
