import { conformanceOperations, type Operation, syntheticOperations } from '@baton/operations';
import type { Settings } from '../settings/environment.ts';

/** The operations of the tests, where BATON_TEST_OPERATIONS adds them, and of the official conformance suite, where BATON_CONFORMANCE_PORT does. */
export function enabledSyntheticOperations(settings: Settings): ReadonlyMap<string, Operation> {
  return new Map([
    ...(settings.BATON_TEST_OPERATIONS ? syntheticOperations : []),
    ...(settings.BATON_CONFORMANCE_PORT === undefined ? [] : conformanceOperations),
  ]);
}
