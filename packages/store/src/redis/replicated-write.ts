import { NotSentError } from './redis-errors.ts';

/**
 * What must have a write before it is acknowledged, and how long that is waited for: so many replicas, and with `fsync` the
 * append-only file on the disk of the master and of those replicas.
 */
export interface Replication {
  readonly replicas: number;
  readonly waitMs: number;
  readonly fsync: boolean;
}

export const NO_REPLICATION: Replication = { replicas: 0, waitMs: 0, fsync: false };

/** A command as it is sent. */
export type Command = readonly [name: string, ...args: (string | number)[]];

export interface WriteRequest {
  readonly command: Command;
  /** For an EVALSHA, the same call as EVAL: sent when the server does not know the script. */
  readonly withSource?: Command;
  /** The key that is written before WAIT, in the slot of the write. */
  readonly barrierKey: string;
}

/**
 * One write, from the call until its caller has a result, which takes at most `limitMs`, whatever is queued before it.
 * A write that times out while `queued` is never sent and changed nothing; once it is `sent` its outcome is unknown.
 */
export class ReplicatedWrite {
  readonly barrierKey: string;
  private command: Command;
  private withSource: Command | undefined;
  private phase: 'queued' | 'sent' | 'settled' = 'queued';
  private readonly timer: NodeJS.Timeout;
  private readonly caller: { resolve: (reply: unknown) => void; reject: (error: unknown) => void };

  constructor(
    { command, withSource, barrierKey }: WriteRequest,
    limitMs: number,
    caller: ReplicatedWrite['caller'],
  ) {
    this.command = command;
    this.withSource = withSource;
    this.barrierKey = barrierKey;
    this.caller = caller;
    this.timer = setTimeout(() => {
      const sent = this.phase === 'sent';
      this.reject(
        sent ? new Error(`no reply in ${limitMs} ms`) : new NotSentError(`${limitMs} ms without a turn`),
      );
    }, limitMs);
  }

  /** Marks the write as sent and returns its command; undefined when it has timed out. */
  takeCommand(): Command | undefined {
    if (this.phase === 'settled') return undefined;
    this.phase = 'sent';
    return this.command;
  }

  /** True when the server did not know the script, so that the write is to be queued again, with its source. */
  retryWithSource(error: Error): boolean {
    if (this.withSource === undefined || this.phase === 'settled' || !error.message.startsWith('NOSCRIPT'))
      return false;
    this.command = this.withSource;
    this.withSource = undefined;
    this.phase = 'queued';
    return true;
  }

  resolve(reply: unknown): void {
    this.settle();
    this.caller.resolve(reply);
  }

  reject(error: unknown): void {
    this.settle();
    this.caller.reject(error);
  }

  private settle(): void {
    clearTimeout(this.timer);
    this.phase = 'settled';
  }
}
