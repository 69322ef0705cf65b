import { expect, test } from 'vitest';
import { maskUrlPasswords } from './mask-url-passwords.ts';

test.each([
  [
    'redis+sentinel://me:secret@one:1/m?sentinelPassword=secret',
    'redis+sentinel://me:***@one:1/m?sentinelPassword=***',
  ],
  ['redis://:secret@one:6379/0', 'redis://:***@one:6379/0'],
  ['redis://me:sec/ret:with@signs@one', 'redis://me:***@one'],
  ['connect to rediss://me:secret@one failed', 'connect to rediss://me:***@one failed'],
  ['tried http://one/a,redis://me:secret@two', 'tried http://one/a,redis://me:***@two'],
  ['https://one/v1?api_key=secret&x=1', 'https://one/v1?api_key=***&x=1'],
  ['/v1?x=1&token=sec?key=ret&secret=s then', '/v1?x=1&token=***&secret=*** then'],
])('the password of %s is masked', (text, masked) => {
  expect(maskUrlPasswords(text)).toBe(masked);
});

test.each(['redis://one:1/0', 'unix:///run/redis.sock', 'write to me@example.com: it works', 'a:b@c'])(
  '%s has none',
  (text) => expect(maskUrlPasswords(text)).toBe(text),
);

// More than an expression that takes it whole has stack for.
test('a parameter of megabytes is masked, and a name of megabytes is none', () => {
  expect(maskUrlPasswords(`/?key=${'s'.repeat(16_000_000)}`)).toBe('/?key=***');
  const name = `?${'a'.repeat(16_000_000)}`;
  expect(maskUrlPasswords(name)).toBe(name);
});

// A time that grows with the square of the length would be more than a test has.
test.each(['a-', 'a://a:', '://'])('a million times %j holds none', (part) => {
  const text = part.repeat(1_000_000);
  expect(maskUrlPasswords(text)).toBe(text);
});
