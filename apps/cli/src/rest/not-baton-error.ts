import { EXIT_CODES } from '../process/exit-codes.ts';

/** What answers at an address replies what no Baton replies. */
export class NotBatonError extends Error {
  readonly exitCode = EXIT_CODES.unavailable;

  /** @param why in words, without a full stop. */
  constructor(url: string, why: string) {
    super(`What answers at ${url} is no Baton: ${why}.`);
  }
}

let lastRepliedUrl: string | undefined;

/** Notes the address of a reply that is about to be read, for `explainShapeError`. */
export function rememberRepliedUrl(url: string): void {
  lastRepliedUrl = url;
}

/**
 * An error that ended a command, for people. A reply is read as what Baton's OpenAPI document says; one of another form ends in a
 * TypeError or RangeError somewhere in the command, which is told as a NotBatonError about the reply that was read last.
 */
export function explainShapeError(error: unknown): unknown {
  const isOfShape = error instanceof TypeError || error instanceof RangeError;
  if (!isOfShape || lastRepliedUrl === undefined) return error;
  return new NotBatonError(lastRepliedUrl, `its reply has another form (${error.message})`);
}
