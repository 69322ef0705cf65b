import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

function connect(url: string): Socket {
  return createConnection(url.replace('unix://', ''));
}

/** Calls of clients, read off MONITOR for a while: commands that are not a script's. */
export class CallCounter {
  calls = 0;
  private readonly socket: Socket;

  constructor(url: string) {
    this.socket = connect(url);
    this.socket.write('MONITOR\r\n');
    createInterface({ input: this.socket }).on('line', (line) => {
      if (line.startsWith('+') && !line.includes(' lua] ')) this.calls++;
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Bytes that a Redis uses for what it holds. */
export async function usedMemory(url: string): Promise<number> {
  const socket = connect(url);
  socket.write('INFO memory\r\n');
  for await (const line of createInterface({ input: socket })) {
    const [, bytes] = /^used_memory:(\d+)/.exec(line) ?? [];
    if (bytes === undefined) continue;
    socket.destroy();
    return Number(bytes);
  }
  throw new Error('Redis does not say what it uses');
}
