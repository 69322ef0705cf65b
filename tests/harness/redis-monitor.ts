import { MonitorConnection } from '@baton/store/testing/monitor-connection';
import { commandWatchers } from './guards/test-guards.ts';

/** Redis's MONITOR: every command that clients send, in order; with `scripts` also those that scripts run, behind `lua `. */
export class RedisMonitor {
  private readonly seen: string[];
  private readonly connection: MonitorConnection;
  private readonly watcher = () => this.caughtUp();

  private constructor(seen: string[], connection: MonitorConnection) {
    this.seen = seen;
    this.connection = connection;
  }

  static async open(redisUrl: string, { scripts = false } = {}): Promise<RedisMonitor> {
    const seen: string[] = [];
    const connection = await MonitorConnection.open(redisUrl, (command, byScript) => {
      if (!byScript) seen.push(command);
      else if (scripts) seen.push(`lua ${command}`);
    });
    const monitor = new RedisMonitor(seen, connection);
    commandWatchers.add(monitor.watcher);
    return monitor;
  }

  /** Every command that Redis has run by now, from the one at `from` on. */
  async commands(from = 0): Promise<string[]> {
    await this.caughtUp();
    return this.seen.slice(from);
  }

  /** Resolves when every command that Redis has run by now has arrived. */
  async caughtUp(): Promise<void> {
    await this.connection.caughtUp();
  }

  /** The commands that clients send while `work` runs, without those of timers. */
  async commandsOf(work: () => Promise<unknown>): Promise<string[]> {
    const from = (await this.commands()).length;
    await work();
    return (await this.commands(from)).filter((command) => !isPeriodicCommand(command));
  }

  /** How many they are, the fewest of some runs: now and then something else stands among them. */
  async fewestCalls(times: number, work: () => Promise<unknown>): Promise<number> {
    let fewest = Number.POSITIVE_INFINITY;
    for (let time = 0; time < times; time++) fewest = Math.min(fewest, (await this.commandsOf(work)).length);
    return fewest;
  }

  close(): void {
    commandWatchers.delete(this.watcher);
    this.connection.close();
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
  /^"ping"/i,
  /^"info" "replication"/i,
  /^"eval" "#!lua flags=allow-oom/i,
  /^"hexists" "[^"]*:topology"/i,
  /^"zrangebyscore" "[^"]*:workers"/i,
  /^"hgetall" "[^"]*:jobs"/i,
  // BullMQ's getState, and RESCHEDULE.
  /:bull:resume:completed" "[^"]*:bull:resume:failed" "[^"]*:bull:resume:delayed"/,
  /"5" "[^"]*:ready" "[^"]*:held" "[^"]*:jobs" "[^"]*:outstanding" "[^"]*:workers" "[a-z0-9-]+:" "\d+"$/,
];
