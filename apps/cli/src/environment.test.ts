import { expect, test } from 'vitest';
import { BadConfiguration, readSettings } from './environment.ts';

test('the operations of the tests are never switched on in production', () => {
  const asked = { BATON_TEST_OPERATIONS: 'true' };
  expect(readSettings({}).BATON_TEST_OPERATIONS).toBe(false);
  expect(readSettings(asked).BATON_TEST_OPERATIONS).toBe(true);
  expect(() => readSettings({ ...asked, NODE_ENV: 'production' })).toThrow(BadConfiguration);
});
