/** A source that had no Redis, and why. */
export interface FailedAttempt {
  readonly name: string;
  readonly reason: string;
}

/** No usable Redis. The message is complete and meant for the person at the terminal. */
export class RedisNotFound extends Error {
  override readonly name = 'RedisNotFound';
  /** EX_CONFIG of sysexits.h: the command line ends with it. */
  readonly exitCode = 78;
}

/** Everything that was tried and why it failed; the last line of the message is the one to type. */
export function redisNotFound(attempts: readonly FailedAttempt[], installLine: string): RedisNotFound {
  return new RedisNotFound(
    [
      'No Redis was found. Tried, in this order:',
      ...attempts.map(({ name, reason }) => `  - ${name}: ${reason}`),
      'To install one, type this and start again:',
      `  ${installLine}`,
    ].join('\n'),
  );
}
