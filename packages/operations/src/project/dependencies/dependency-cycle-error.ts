import { BatonError } from '@baton/protocol';

const MOST_SHOWN = 20;

/** `dependency_cycle` for a dependency that would close a cycle: `chain` begins and ends with the same id. */
export function dependencyCycleError(chain: readonly string[]): BatonError {
  const shown =
    chain.length <= MOST_SHOWN
      ? chain.join(' → ')
      : `${chain.slice(0, MOST_SHOWN - 1).join(' → ')} → … → ${chain.at(-1)}`;
  const what = chain.length <= 2 ? 'would depend on itself' : 'would wait for each other';
  return new BatonError(
    'dependency_cycle',
    `${shown}: ${chain.length <= 2 ? chain[0] : 'these'} ${what}. Nothing was changed.`,
    { chain: [...chain] },
  );
}
