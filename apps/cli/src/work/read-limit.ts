import { UsageError } from '../process/exit-codes.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/** How many items a list shows: `--limit`. Errors: UsageError. */
export function readLimit(limit: string | undefined): number {
  const number = Number(limit ?? DEFAULT_LIMIT);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_LIMIT) return number;
  throw new UsageError(`--limit ${limit}: must be a whole number from 1 to ${MAX_LIMIT}`);
}
