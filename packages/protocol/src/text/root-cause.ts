/** What stands below an error, through its causes; of several errors at once, such as those of a host's addresses, the last. */
export function rootCauseOf(thrown: Error): Error {
  let root = thrown;
  for (;;) {
    const below: unknown = root instanceof AggregateError ? root.errors.at(-1) : root.cause;
    if (!(below instanceof Error)) return root;
    root = below;
  }
}

/** Why a connection failed: what Node said under the words of `fetch`; it gives a code alone, or nothing, for some failures, such as a 407 of a proxy. */
export function connectionFailureReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const root = rootCauseOf(thrown);
  const { code } = root as { code?: unknown };
  const said = [root.message, code, thrown.message].find((text) => text !== '' && text !== undefined);
  return String(said);
}
