import { once } from 'node:events';
import { createConnection, type NetConnectOpts, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Told of each command as MONITOR writes it (`"SET" "key" "1"`), and whether a script ran it. */
export type OnCommand = (command: string, byScript: boolean) => void;

/**
 * Redis's MONITOR over a socket of its own: each line is a reply or a command, in whatever parts they come. (ioredis fails where
 * a command comes in together with the reply to MONITOR.)
 */
export class MonitorConnection {
  private readonly socket: Socket;
  private readonly marker: Socket;
  private readonly marks = new Map<string, () => void>();
  private sent = 0;

  private constructor(socket: Socket, marker: Socket) {
    this.socket = socket;
    this.marker = marker;
  }

  /** Resolves when Redis has begun to tell what it runs. */
  static async open(url: string, onCommand: OnCommand): Promise<MonitorConnection> {
    const { address, login } = addressOf(url);
    const connect = () => createConnection(address);
    const [socket, marker] = [connect(), connect()];
    await Promise.all([once(socket, 'connect'), once(marker, 'connect')]);
    const monitor = new MonitorConnection(socket, marker);
    // What Redis says after `close` is of no use to anyone.
    for (const one of [socket, marker]) one.on('error', () => {});
    marker.resume().write(login);
    await new Promise<void>((resolve, reject) => {
      let replies = login === '' ? 1 : 2;
      createInterface({ input: socket }).on('line', (line) => {
        const [, source, command = ''] = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/.exec(line) ?? [];
        if (source !== undefined) monitor.note(command, source === 'lua', onCommand);
        else if (line.startsWith('-')) {
          monitor.close();
          reject(new Error(`MONITOR: ${line}`));
        } else if (--replies === 0) resolve();
      });
      socket.write(`${login}MONITOR\r\n`);
    });
    return monitor;
  }

  /** Resolves when every command that Redis has run by now has been told. */
  async caughtUp(): Promise<void> {
    const mark = `mark-${process.pid}-${++this.sent}`;
    await new Promise<void>((resolve) => {
      this.marks.set(mark, resolve);
      this.marker.write(`ECHO ${mark}\r\n`);
    });
  }

  close(): void {
    this.socket.destroy();
    this.marker.destroy();
  }

  private note(command: string, byScript: boolean, onCommand: OnCommand): void {
    const [, mark] = /^"ECHO" "(mark-[\d-]+)"$/i.exec(command) ?? [];
    if (mark === undefined) return onCommand(command, byScript);
    this.marks.get(mark)?.();
    this.marks.delete(mark);
  }
}

/** Where to connect, and the AUTH to send first, empty where there is no password. */
function addressOf(url: string): { address: NetConnectOpts; login: string } {
  const { protocol, pathname, hostname, port, username, password } = new URL(url);
  const words = ['AUTH', username, password].map(decodeURIComponent).filter((word) => word !== '');
  const texts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return {
    address:
      protocol === 'unix:'
        ? { path: decodeURIComponent(pathname) }
        : { host: hostname, port: Number(port || 6379) },
    login: password === '' ? '' : `*${words.length}\r\n${texts.join('')}`,
  };
}
