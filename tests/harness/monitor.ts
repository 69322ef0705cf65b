import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Redis's MONITOR over a plain socket: every command that clients send, in order; not those that scripts run. */
export class Monitor {
  readonly commands: string[] = [];
  private readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    createInterface({ input: socket }).on('line', (line) => {
      const [, source, command] = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/.exec(line) ?? [];
      if (command !== undefined && source !== 'lua') this.commands.push(command);
    });
  }

  static async open(redisUrl: string): Promise<Monitor> {
    const socket = createConnection(redisUrl.replace('unix://', ''));
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return new Monitor(socket);
  }

  close(): void {
    this.socket.destroy();
  }
}
