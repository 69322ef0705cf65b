/** The message of anything thrown, on one line. Node's AggregateError (each address of a host refused) has none of its own. */
export function errorMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(errorMessage).join('; ');
  }
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
}
