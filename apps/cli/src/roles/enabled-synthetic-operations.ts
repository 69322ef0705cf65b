import { type Operation, syntheticOperations } from '@baton/operations';
import type { Settings } from '../settings/environment.ts';

/** The operations of the tests, where BATON_TEST_OPERATIONS adds them. */
export function enabledSyntheticOperations(settings: Settings): ReadonlyMap<string, Operation> {
  return settings.BATON_TEST_OPERATIONS ? syntheticOperations : new Map();
}
