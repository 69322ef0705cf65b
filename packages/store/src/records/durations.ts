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
 * For so long a task's record lives after its time: workers end and delete tasks, and give back what they take of their tenant's
 * storage. Only after so long without any worker a record expires by itself, and stays counted.
 */
export const RECORD_GRACE = 30 * 86_400_000;

/** The TTL of an unfinished task's records: no record expires before its task has ended and was readable. */
export function unfinishedTaskTtl(lifetimes: Lifetimes): number {
  return lifetimes.task + lifetimes.retention + RECORD_GRACE;
}

/** How long the outcome of a call that started no task is kept under its idempotency key. */
export const IDEMPOTENCY_TTL = 86_400_000;

/** A conversation that nobody used for so long is gone. */
export const CONVERSATION_TTL = 30 * 86_400_000;

/** A worker's heartbeat, with its programs, and how long it counts as live after one: a little more than two intervals. */
export const HEARTBEAT_INTERVAL = 2_000;
export const WORKER_TTL = 5_000;

/**
 * BullMQ's lock on a running job, and its interval of checks for expired locks: the jobs of a killed worker run elsewhere
 * after the lock and at most two checks, which is less than 5 s.
 */
export const JOB_LOCK_TTL = 2_500;
export const STALLED_INTERVAL = 1_000;

/** A worker holds a call to an LLM endpoint for so long, and renews that three times as often; another makes it again afterwards. */
export const CALL_LEASE = 6_000;

/** BullMQ's job scheduler adds a sweep of a shard in this interval. */
export const SWEEP_INTERVAL = 500;

/** A deletion of a tenant that has not ended so long after a sweep has seen it is taken for one that was cut off, and then again. */
export const DELETION_LEASE = 60_000;

/** A tenant's recorded jobs are compared with BullMQ's in this interval, while it has any. */
export const LOST_JOB_CHECK_INTERVAL = 2_000;

/** A released holder is given no claim for so long, which is longer than any of its calls may take. */
export const RELEASED_HOLDER_TTL = 60_000;

/** A replica renews its subscription to a tenant's changes in this interval; it expires after three. */
export const CHANGE_FEED_RENEW_INTERVAL = 10_000;
export const CHANGE_FEED_TTL = 30_000;

/** The lifetime of an MCP session's id; long, since clients do not initialize again by themselves. */
export const SESSION_TTL = 90 * 86_400_000;

/** The lifetime of a session's subscriptions, from its last stream or subscription. */
export const SUBSCRIPTION_TTL = 7 * 86_400_000;

/** A replica renews them in this interval, for the sessions that have a stream on it. */
export const SUBSCRIPTION_REFRESH_INTERVAL = 120_000;

/** For so long after its last stream a session keeps its subscriptions, however many others need its place. */
export const SUBSCRIPTION_GRACE = 600_000;

/** Of one streamed answer a change is published no oftener. */
export const STREAM_PUBLISH_INTERVAL = 250;

/** What LLM calls used on a day stays readable for so long: a year, and a month to look back at it. */
export const USAGE_DAY_TTL = 400 * 86_400_000;

/** An API key that has ended stays listed for so long. */
export const ENDED_KEY_RETENTION = 7 * 86_400_000;
