import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test.each(['https://app.example', 'http://127.0.0.1:3000/, chrome-extension://abc', '*'])(
  'BATON_ALLOWED_ORIGINS may be %s',
  (BATON_ALLOWED_ORIGINS) => {
    expect(readSettings({ BATON_ALLOWED_ORIGINS }).BATON_ALLOWED_ORIGINS.length).toBeGreaterThan(0);
  },
);

test.each([
  'app.example',
  'https://app.example/page',
  'https://',
  '*.example',
  'https://a.example https://b.example',
])('BATON_ALLOWED_ORIGINS is never %s, which no browser sends', (BATON_ALLOWED_ORIGINS) => {
  expect(() => readSettings({ BATON_ALLOWED_ORIGINS })).toThrow(
    `BATON_ALLOWED_ORIGINS=${BATON_ALLOWED_ORIGINS}`,
  );
});

const SECRETS = [
  'the first of the secrets',
  'the second of the secrets',
  'a third one, with a comma',
] as const;
const [FIRST, SECOND, THIRD] = SECRETS;

test.each([
  ['', []],
  [' , \n', []],
  [FIRST, [FIRST]],
  [`${FIRST},${SECOND}`, [FIRST, SECOND]],
  [`${FIRST}\r\n${SECOND}\n`, [FIRST, SECOND]],
  [JSON.stringify([THIRD, FIRST]), [THIRD, FIRST]],
])('BATON_SECRET_PREVIOUS %j is the secrets %j', (BATON_SECRET_PREVIOUS, secrets) => {
  expect(readSettings({ BATON_SECRET_PREVIOUS }).BATON_SECRET_PREVIOUS).toEqual(secrets);
});

test.each([
  ['secret 2 must have at least 16 characters', `${FIRST},short`],
  ['secret 1 must have at least 16 characters', THIRD],
  ['secret 3 is in the list twice', [FIRST, SECOND, FIRST].join(',')],
  ['has 5 secrets, and may have 4', [1, 2, 3, 4, 5].map((n) => `${FIRST} ${n}`).join('\n')],
  ['is not a JSON array of strings', `[${FIRST}]`],
  ['is not a JSON array of strings', JSON.stringify([FIRST, 7])],
])('BATON_SECRET_PREVIOUS is refused, %s, and never shown', (reason, BATON_SECRET_PREVIOUS) => {
  const read = () => readSettings({ BATON_SECRET_PREVIOUS });
  expect(read).toThrow(`BATON_SECRET_PREVIOUS=(hidden): ${reason}`);
  for (const text of SECRETS) expect(read).not.toThrow(text.slice(0, 10));
});

test('a secret in a file that is not UTF-8 is refused by its name, and not read as other characters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'baton-settings-'));
  try {
    const file = join(folder, 'secret');
    writeFileSync(file, Buffer.from([...Buffer.from('caf'), 0xe9, ...Buffer.from(' '.repeat(40)), 0x61]));
    expect(() => readSettings({ BATON_SECRET_FILE: file })).toThrow(
      `BATON_SECRET_FILE=${file}: is not UTF-8.`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each(['abc', '70000', '-1', '1.5'])('PORT=%s is refused with its value and the range', (PORT) => {
  expect(() => readSettings({ PORT })).toThrow(`PORT=${PORT}: must be a whole number from 0 to 65535`);
});

test.each([
  [{ BATON_OPERATOR_PORT: '8080' }, 'BATON_OPERATOR_PORT=8080: is the port of PORT too'],
  [
    { PORT: '9000', BATON_OPERATOR_PORT: '9001', BATON_CONFORMANCE_PORT: '9001' },
    'BATON_CONFORMANCE_PORT=9001: is the port of BATON_OPERATOR_PORT too',
  ],
])('a gateway never has one port for two purposes: %j', (given, message) => {
  expect(() => readSettings(given)).toThrow(message);
  expect(() => readSettings(given)).toThrow(ConfigurationError);
});

test('free ports are taken for each purpose, and a worker may have the number that a gateway has elsewhere', () => {
  readSettings({ PORT: '0', BATON_OPERATOR_PORT: '0', BATON_CONFORMANCE_PORT: '0' });
  readSettings({ PORT: '8080', BATON_HEALTH_PORT: '8080' });
});

test.each(['foo', 'localhost:8080', '/baton', 'ftp://baton.example'])(
  'BATON_PUBLIC_URL=%s is refused with an example',
  (BATON_PUBLIC_URL) => {
    expect(() => readSettings({ BATON_PUBLIC_URL })).toThrow(
      `BATON_PUBLIC_URL=${BATON_PUBLIC_URL}: must be an address such as https://baton.example`,
    );
  },
);
