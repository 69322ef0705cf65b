import { UsageError } from '../process/exit-codes.ts';

/** Whose and how old: options of lists, and of what is done to all that match. */
export interface OriginFlags {
  readonly principal?: string;
  readonly olderThan?: string;
  readonly newerThan?: string;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The same as the fields of the REST interface: an age becomes the time of creation. Errors: UsageError. */
export function readOriginFilter(
  { principal, olderThan, newerThan }: OriginFlags,
  now = Date.now(),
): { readonly principal?: string; readonly createdBefore?: string; readonly createdAfter?: string } {
  return {
    ...(principal !== undefined && { principal }),
    ...(olderThan !== undefined && { createdBefore: timeOf('--older-than', olderThan, now) }),
    ...(newerThan !== undefined && { createdAfter: timeOf('--newer-than', newerThan, now) }),
  };
}

function timeOf(option: string, age: string, now: number): string {
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(age) ?? [];
  if (number === '')
    throw new UsageError(`${option} ${age}: must be a number with s, m, h or d, such as 90m`);
  return new Date(now - Number(number) * UNIT_MS[unit as keyof typeof UNIT_MS]).toISOString();
}
