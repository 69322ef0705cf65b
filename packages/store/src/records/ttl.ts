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
export function taskRecordTtl(lifetimes: Lifetimes): number {
  return lifetimes.task + lifetimes.retention + 86_400_000;
}

/** A worker says in this interval that it lives and which programs it has, and is believed for a little more than twice that. */
export const HEARTBEAT_INTERVAL = 2_000;
export const WORKER_TTL = 5_000;

/**
 * BullMQ's lock on a job that runs, and how often it looks for jobs whose lock has lapsed: what a worker held that was
 * killed or stopped goes on elsewhere after the lock and two looks at most, which is less than 5 s.
 */
export const JOB_LOCK = 2_500;
export const STALLED_INTERVAL = 1_000;

/** BullMQ's job scheduler adds a sweep of a shard in this interval. */
export const SWEEP_INTERVAL = 500;

/** A tenant's jobs are held against BullMQ's in this interval, while it has any. */
export const LOST_JOB_CHECK_INTERVAL = 2_000;

/** A holder that has resigned is given no claim for so long, which is longer than any call of its own goes on. */
export const RELEASED_HOLDER_TTL = 60_000;

/** A replica that listens to a tenant's changes says so in this interval, and is believed for three of them. */
export const CHANGE_FEED_RENEW_INTERVAL = 10_000;
export const CHANGE_FEED_TTL = 30_000;

/** An MCP session, from its start; long, since clients do not start over by themselves. */
export const SESSION_TTL = 90 * 86_400_000;

/** What a session subscribed to, after it last held a stream or subscribed. */
export const SUBSCRIPTION_TTL = 7 * 86_400_000;

/** A replica renews that in this interval for the sessions whose streams it holds. */
export const SUBSCRIPTION_REFRESH_INTERVAL = 120_000;

/** So long after it last held a stream a session keeps what it subscribed to, however many others want its room. */
export const SUBSCRIPTION_GRACE = 600_000;
