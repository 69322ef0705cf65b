import { maskUrlPasswords } from '@baton/protocol';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Structured logs without what they must not hold: credentials, and what customers and models say. */
export function createLogger(
  level: string,
  base: object,
  destination: DestinationStream = pino.destination(1),
): Logger {
  const options = {
    level,
    base,
    serializers: { err: (error: unknown) => serializeError(error) },
    redact: {
      paths: [
        'req.headers.authorization',
        'req.headers.cookie',
        'headers.authorization',
        '*.apiKey',
        '*.key',
        '*.secret',
        '*.token',
        '*.messages',
        '*.answer',
        '*.prd',
      ],
      censor: '[redacted]',
    },
  };
  return pino(options, destination);
}

interface LoggedError {
  readonly type: string;
  readonly code?: unknown;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/**
 * What a log says of an error. Its other fields are left out: a Redis error carries the command with its arguments, which
 * are what customers and models said.
 */
function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: maskUrlPasswords(String(error)) };
  const { name, message, stack, cause } = error;
  return {
    type: name,
    ...('code' in error ? { code: error.code } : {}),
    message: maskUrlPasswords(message),
    ...(stack === undefined ? {} : { stack: maskUrlPasswords(stack) }),
    ...(cause === undefined || depth === 3 ? {} : { cause: serializeError(cause, depth + 1) }),
  };
}
