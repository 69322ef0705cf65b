import { BatonError } from '@baton/protocol';

/** What did not leave this process, and will not any more. */
export class NotSentError extends Error {}

/**
 * What a caller hears when Redis could not just now. `taken: false` where nothing was sent, or Redis itself refused
 * before anything was written; without it nobody knows. A script's own bug stays what it is.
 */
export function toUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BatonError) return error;
  const full = error.message.includes('OOM');
  if (!full && /^(ERR|WRONGTYPE)/.test(error.message)) return error;
  const why = full ? 'its memory is full' : error.message;
  const refused = error.name === 'ReplyError' || error instanceof NotSentError;
  const left = refused ? 'Nothing was changed and nothing is lost' : 'Whether it was taken is not known';
  return new BatonError(
    'unavailable',
    `Redis cannot take this now (${why}). ${left}; repeat the call.`,
    refused ? { taken: false } : {},
  );
}

/** A Redis that would throw parked work away. No process starts on it, and one that runs is not ready. */
export class EvictionPolicyError extends BatonError {
  /** EX_CONFIG: starting again changes nothing until someone has changed the setting. */
  readonly exitCode = 78;
  readonly policy: string;

  constructor(place: string, policy: string) {
    super(
      'unavailable',
      `Redis at ${place} has maxmemory-policy ${policy}: it would evict parked work when it is full. ` +
        'Set maxmemory-policy noeviction and start again.',
    );
    this.policy = policy;
  }
}

/** What keeps a process from taking work, in a few words, from what `Store.ping` threw. */
export function unreadyReason(error: unknown): string {
  return error instanceof EvictionPolicyError
    ? `redis would evict parked work: maxmemory-policy ${error.policy}`
    : 'redis does not answer';
}
