import { expect, test } from 'vitest';
import { ConfigurationError, readSettings } from './environment.ts';

test('the operations of the tests are never switched on in production', () => {
  const asked = { BATON_TEST_OPERATIONS: 'true' };
  expect(readSettings({}).BATON_TEST_OPERATIONS).toBe(false);
  expect(readSettings(asked).BATON_TEST_OPERATIONS).toBe(true);
  expect(() => readSettings({ ...asked, NODE_ENV: 'production' })).toThrow(ConfigurationError);
});

test.each([
  'redis://one:6379',
  'rediss://one:6379/1',
  'unix:///run/redis.sock',
  'redis+cluster://one:1,two:2',
  'redis+sentinel://one:1,two:2/mymaster',
  'rediss+sentinel://me:hush@one:1/mymaster/3?sentinelPassword=hush',
])('REDIS_URL may be %s', (REDIS_URL) => {
  expect(readSettings({ REDIS_URL }).REDIS_URL).toBe(REDIS_URL);
});

test.each([
  'http://one:1',
  'redis+sentinel://one:1,two:2',
  'redis+sentinel://one:1/',
  'redis+sentinel://one/m/db',
])('REDIS_URL is never %s', (REDIS_URL) => {
  expect(() => readSettings({ REDIS_URL })).toThrow('REDIS_URL=(hidden)');
});

test('WAIT is off unless it is asked for, and ends before a command times out', () => {
  expect(readSettings({})).toMatchObject({ BATON_REDIS_WAIT_REPLICAS: 0, BATON_REDIS_WAIT_MS: 1_000 });
  expect(() => readSettings({ BATON_REDIS_WAIT_MS: '5000' })).toThrow('BATON_REDIS_WAIT_MS=5000');
});
