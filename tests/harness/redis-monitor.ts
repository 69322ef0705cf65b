import { createConnection, type Socket } from 'node:net';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Redis's MONITOR: every command that clients send, in order, without the commands that scripts run. */
export class RedisMonitor {
  readonly commands: string[] = [];
  private readonly socket: Socket;

  private constructor(socket: Socket) {
    this.socket = socket;
    createInterface({ input: socket }).on('line', (line) => {
      const [, source, command] = /^\+[\d.]+ \[\d+ (\S+)\] (.*)$/.exec(line) ?? [];
      if (command !== undefined && source !== 'lua') this.commands.push(command);
    });
  }

  static async open(redisUrl: string): Promise<RedisMonitor> {
    const socket = createConnection(redisUrl.replace('unix://', ''));
    await once(socket, 'connect');
    socket.write('MONITOR\r\n');
    await once(socket, 'data');
    return new RedisMonitor(socket);
  }

  close(): void {
    this.socket.destroy();
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
