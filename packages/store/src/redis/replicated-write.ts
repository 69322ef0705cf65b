import { NotSentError } from './redis-errors.ts';

/** A command as it is sent. */
export type Command = readonly [name: string, ...args: (string | number)[]];

/** What is asked for; `whole` is for EVALSHA: the same as EVAL, should the server not know the script. */
export interface WriteRequest {
  readonly command: Command;
  readonly withSource?: Command;
  readonly barrierKey: string;
}

/**
 * One write, from when it is asked for until its caller hears of it, which is within `limitMs`, whatever is before it.
 * What has not left by then never does: while it is `waiting` nothing has happened, once it is `away` nobody knows.
 */
export class ReplicatedWrite {
  readonly barrierKey: string;
  private command: Command;
  private withSource: Command | undefined;
  private phase: 'waiting' | 'away' | 'over' = 'waiting';
  private readonly timer: NodeJS.Timeout;
  private readonly caller: { resolve: (reply: unknown) => void; reject: (error: unknown) => void };

  constructor({ command, withSource, barrierKey }: WriteRequest, limitMs: number, caller: ReplicatedWrite['caller']) {
    this.command = command;
    this.withSource = withSource;
    this.barrierKey = barrierKey;
    this.caller = caller;
    this.timer = setTimeout(() => {
      const away = this.phase === 'away';
      this.reject(
        away ? new Error(`no reply in ${limitMs} ms`) : new NotSentError(`${limitMs} ms without a turn`),
      );
    }, limitMs);
  }

  /** What is to be sent now; nothing any more once its caller has heard. */
  takeCommand(): Command | undefined {
    if (this.phase === 'over') return undefined;
    this.phase = 'away';
    return this.command;
  }

  /** True when the error means that it has done nothing, and is to leave once more: its server did not know the script. */
  retryWithSource(error: Error): boolean {
    if (this.withSource === undefined || this.phase === 'over' || !error.message.startsWith('NOSCRIPT'))
      return false;
    this.command = this.withSource;
    this.withSource = undefined;
    this.phase = 'waiting';
    return true;
  }

  resolve(reply: unknown): void {
    this.finish();
    this.caller.resolve(reply);
  }

  reject(error: unknown): void {
    this.finish();
    this.caller.reject(error);
  }

  private finish(): void {
    clearTimeout(this.timer);
    this.phase = 'over';
  }
}
