import { NeverSent } from './unavailable.ts';

/** A command as it is sent. */
export type Command = readonly [name: string, ...args: (string | number)[]];

/** What is asked for; `whole` is for EVALSHA: the same as EVAL, should the server not know the script. */
export interface Asked {
  readonly command: Command;
  readonly whole?: Command;
  readonly markKey: string;
}

/**
 * One write, from when it is asked for until its caller hears of it, which is within `limitMs`, whatever is before it.
 * What has not left by then never does: while it is `waiting` nothing has happened, once it is `away` nobody knows.
 */
export class Write {
  readonly markKey: string;
  private command: Command;
  private whole: Command | undefined;
  private phase: 'waiting' | 'away' | 'over' = 'waiting';
  private readonly timer: NodeJS.Timeout;
  private readonly caller: { resolve: (reply: unknown) => void; reject: (error: unknown) => void };

  constructor({ command, whole, markKey }: Asked, limitMs: number, caller: Write['caller']) {
    this.command = command;
    this.whole = whole;
    this.markKey = markKey;
    this.caller = caller;
    this.timer = setTimeout(() => {
      const away = this.phase === 'away';
      this.refuse(
        away ? new Error(`no reply in ${limitMs} ms`) : new NeverSent(`${limitMs} ms without a turn`),
      );
    }, limitMs);
  }

  /** What is to be sent now; nothing any more once its caller has heard. */
  leave(): Command | undefined {
    if (this.phase === 'over') return undefined;
    this.phase = 'away';
    return this.command;
  }

  /** True when the error means that it has done nothing, and is to leave once more: its server did not know the script. */
  comesBack(error: Error): boolean {
    if (this.whole === undefined || this.phase === 'over' || !error.message.startsWith('NOSCRIPT'))
      return false;
    this.command = this.whole;
    this.whole = undefined;
    this.phase = 'waiting';
    return true;
  }

  confirm(reply: unknown): void {
    this.end();
    this.caller.resolve(reply);
  }

  refuse(error: unknown): void {
    this.end();
    this.caller.reject(error);
  }

  private end(): void {
    clearTimeout(this.timer);
    this.phase = 'over';
  }
}
