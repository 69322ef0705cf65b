import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { commandWatchers } from './guards/test-guards.ts';

/** Redis's MONITOR: every command that clients send, in order; with `scripts` also those that scripts run, behind `lua `. */
export class RedisMonitor {
  readonly commands: string[] = [];
  private readonly socket: Socket;
  private readonly marker: Socket;
  private readonly marks = new Map<string, () => void>();
  private readonly watcher = () => this.caughtUp();

  private constructor(socket: Socket, marker: Socket, scripts: boolean) {
    this.socket = socket;
    this.marker = marker;
    createInterface({ input: socket }).on('line', (line) => {
      const [, source, command = ''] = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/.exec(line) ?? [];
      const [, mark] = /^"ECHO" "(mark-\d+)"$/i.exec(command) ?? [];
      if (mark !== undefined) this.marks.get(mark)?.();
      else if (source === 'lua' && scripts) this.commands.push(`lua ${command}`);
      else if (source !== undefined && source !== 'lua') this.commands.push(command);
    });
  }

  static async open(redisUrl: string, { scripts = false } = {}): Promise<RedisMonitor> {
    const [socket, marker] = [0, 1].map(() => createConnection(redisUrl.replace('unix://', ''))) as [
      Socket,
      Socket,
    ];
    await Promise.all([once(socket, 'connect'), once(marker, 'connect')]);
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    marker.resume();
    const monitor = new RedisMonitor(socket, marker, scripts);
    commandWatchers.add(monitor.watcher);
    return monitor;
  }

  /** Resolves when every command that Redis has run by now is among `commands`. */
  async caughtUp(): Promise<void> {
    const mark = `mark-${this.marks.size}`;
    await new Promise<void>((resolve) => {
      this.marks.set(mark, resolve);
      this.marker.write(`ECHO ${mark}\r\n`);
    });
  }

  close(): void {
    commandWatchers.delete(this.watcher);
    this.socket.destroy();
    this.marker.destroy();
  }
}

/** True for commands that workers send on timers, whether or not anyone calls: heartbeats, sweeps, job checks, polls of BullMQ. */
export function isPeriodicCommand(command: string): boolean {
  return PERIODIC_COMMANDS.some((pattern) => pattern.test(command));
}

const PERIODIC_COMMANDS = [
  /:swept"/,
  /:bull:deadlines:/,
  /:stalled-check"/,
  /:outstanding" "-inf"/i,
  /^"time"/i,
  /^"info" "memory"/i,
  /^"zrangebyscore" "[^"]*:workers"/i,
  /^"hgetall" "[^"]*:jobs"/i,
  // BullMQ's getState, and RESCHEDULE.
  /:bull:resume:completed" "[^"]*:bull:resume:failed" "[^"]*:bull:resume:delayed"/,
  /"5" "[^"]*:ready" "[^"]*:held" "[^"]*:jobs" "[^"]*:outstanding" "[^"]*:workers" "[a-z0-9-]+:" "\d+"$/,
];
