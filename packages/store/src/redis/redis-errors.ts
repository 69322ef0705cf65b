import { BatonError } from '@baton/protocol';

/** What ioredis says of a lost connection: about settings of its own, which nobody who reads it can change. */
const CLIENT_WORDS = /^(Stream isn't writeable|Reached the max retries|Connection is closed)/;

/** A command that was never sent, and never will be. */
export class NotSentError extends Error {}

/**
 * Translates a failed command to `unavailable`, with `taken: false` where nothing was sent or Redis refused it before
 * anything was written; without that detail the outcome is unknown. An error of a script's own is returned unchanged.
 */
export function toUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BatonError) return error;
  const full = error.message.includes('OOM');
  if (!full && /^(ERR|WRONGTYPE)/.test(error.message)) return error;
  const why = full
    ? 'its memory is full'
    : CLIENT_WORDS.test(error.message)
      ? 'it does not answer'
      : error.message;
  const refused = error.name === 'ReplyError' || error instanceof NotSentError;
  const left = refused ? 'Nothing was changed and nothing is lost' : 'Whether it was taken is not known';
  return new BatonError(
    'unavailable',
    `Redis cannot take this now (${why}). ${left}; repeat the call.`,
    refused ? { taken: false } : {},
  );
}

/** A setting of this process, or of Redis, with which no process starts. */
export class UnsupportedSettingError extends BatonError {
  /** EX_CONFIG: a restart does not help until the setting is changed. */
  readonly exitCode = 78;

  constructor(message: string) {
    super('unavailable', message);
  }
}

/** A Redis whose policy may evict parked work. No process starts on it, and a running one is not ready. */
export class EvictionPolicyError extends UnsupportedSettingError {
  readonly policy: string;

  constructor(place: string, policy: string) {
    super(
      `Redis at ${place} has maxmemory-policy ${policy}: it would evict parked work when it is full. ` +
        'Set maxmemory-policy noeviction and start again.',
    );
    this.policy = policy;
  }
}

/** Why Redis refuses every write, by the reply that says so, and what ends that. */
const WRITE_REFUSALS: readonly { reply: RegExp; reason?: string; remedy: string }[] = [
  { reply: /^MISCONF ([^.\r\n]+)/, remedy: 'make room on its disk, or mend what its log names' },
  {
    reply: /^NOREPLICAS/,
    reason: 'fewer replicas follow it than its min-replicas-to-write',
    remedy: 'start its replicas, or lower min-replicas-to-write',
  },
  {
    reply: /^READONLY/,
    reason: 'it is a replica, which is read-only',
    remedy: 'name its master in REDIS_URL, or make it one (REPLICAOF NO ONE)',
  },
];

/** A Redis that answers and refuses every write. */
export class WritesRefusedError extends BatonError {
  readonly reason: string;

  private constructor(place: string, reason: string, remedy: string) {
    super(
      'unavailable',
      `Redis at ${place} takes no writes: ${reason}. Every call is refused until it does: ${remedy}.`,
    );
    this.reason = reason;
  }

  /** From a reply to a write or a PING; undefined for a reply that says something else. */
  static from(reply: unknown, place: string): WritesRefusedError | undefined {
    if (!(reply instanceof Error)) return undefined;
    for (const { reply: pattern, reason, remedy } of WRITE_REFUSALS) {
      const found = pattern.exec(reply.message);
      if (found !== null) return new WritesRefusedError(place, reason ?? found[1] ?? '', remedy);
    }
    return undefined;
  }
}

/** Why a process is not ready, in a few words, from the error that `Store.ping` threw. */
export function unreadyReason(error: unknown): string {
  if (error instanceof EvictionPolicyError)
    return `redis would evict parked work: maxmemory-policy ${error.policy}`;
  if (error instanceof WritesRefusedError) return `redis takes no writes: ${error.reason}`;
  return 'redis does not answer';
}
