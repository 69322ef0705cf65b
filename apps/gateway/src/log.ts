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
