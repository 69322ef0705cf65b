import type { OwnerAndTimeFilter } from '@baton/store';

/** Whose, and since and until when, as callers give it: times in ISO 8601. */
export function parseOwnerAndTimes({
  principal,
  createdAfter,
  createdBefore,
}: {
  readonly principal?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}): OwnerAndTimeFilter {
  return {
    principal,
    createdAfter: createdAfter === undefined ? undefined : Date.parse(createdAfter),
    createdBefore: createdBefore === undefined ? undefined : Date.parse(createdBefore),
  };
}
