import { BatonError } from '@baton/protocol';
import { parseStatus, STATUSES, type Status } from '../project/index.ts';

/** The statuses to show; undefined shows every one. */
type StatusFilter = ReadonlySet<Status> | undefined;

/**
 * A comma list of statuses in any known wording; nothing and `all` mean every one.
 *
 * @throws BatonError `invalid_arguments`, naming the word that is no status.
 */
export function parseStatusFilter(list: string | undefined): StatusFilter {
  const words = (list ?? '').split(',').filter((word) => word.trim() !== '');
  if (words.length === 0 || words.some((word) => word.trim().toLowerCase() === 'all')) return undefined;
  return new Set(
    words.map((word) => {
      const status = parseStatus(word);
      if (status !== undefined) return status;
      const problem = `status: '${word.trim()}' is none of ${STATUSES.join(', ')}.`;
      throw new BatonError('invalid_arguments', problem, { field: 'status' });
    }),
  );
}

export function matchesStatus(filter: StatusFilter) {
  return ({ status }: { readonly status: Status }) => filter === undefined || filter.has(status);
}
