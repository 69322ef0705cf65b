/** Every lifetime that the store gives to a key or a lease, in milliseconds; nothing else names one. */
export interface Lifetimes {
  /** How long an interaction waits for its answer. */
  readonly interaction: number;
  /** How long a task may take, from its start to its end. */
  readonly task: number;
  /** How long an ended task stays readable. */
  readonly retention: number;
}

export const DEFAULT_LIFETIMES: Lifetimes = {
  interaction: 3_600_000,
  task: 86_400_000,
  retention: 86_400_000,
};

/**
 * How long an unfinished task's records live at most. The deadline ends the task first; the grace covers workers that
 * are all down for a day, so that a record never disappears before it has ended and was readable.
 */
export function keepFor(lifetimes: Lifetimes): number {
  return lifetimes.task + lifetimes.retention + 86_400_000;
}

/** A segment takes milliseconds; a worker that holds one this long has died, and the sweeper hands it on. */
export const SEGMENT_LEASE = 30_000;

/** A task that was handed to a worker may not have reached it; the worker that runs it for long holds it for longer. */
export const HANDED_LEASE = 5_000;
export const HOLD_AFTER = 2_000;

/** A worker says in this interval that it is still on its shift, and is believed for a little more than twice that. */
export const ATTEND_INTERVAL = 2_000;
export const ATTENDANCE = 5_000;

/** A shard is swept once in this time, by whichever worker comes first. */
export const SWEEP_INTERVAL = 500;

/** For so long a deadline that was handed out is not handed out again. */
export const SWEEP_HOLD = 2_000;

/** A holder that has resigned is given no claim for so long, which is longer than any call of its own goes on. */
export const RESIGNED = 60_000;

/** A replica that listens to a tenant's changes says so in this interval, and is believed for three of them. */
export const LISTEN_INTERVAL = 10_000;
export const LISTENING = 30_000;

/** An MCP session, from its start; long, since clients do not start over by themselves. */
export const SESSION_LIFE = 90 * 86_400_000;

/** What a session subscribed to, after it last held a stream or subscribed. */
export const SUBSCRIPTION_LIFE = 7 * 86_400_000;

/** A replica renews that in this interval for the sessions whose streams it holds. */
export const ATTUNE_INTERVAL = 120_000;

/** So long after it last held a stream a session keeps what it subscribed to, however many others want its room. */
export const SUBSCRIPTION_GRACE = 600_000;

/** The pause before a failed segment's next try, doubling from the first. */
export function pauseBefore(tries: number): number {
  return Math.min(60_000, 500 * 2 ** Math.max(0, tries - 1));
}
