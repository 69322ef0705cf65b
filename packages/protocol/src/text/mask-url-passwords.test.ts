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
])('the password of %s is masked', (text, masked) => {
  expect(maskUrlPasswords(text)).toBe(masked);
});

test.each(['redis://one:1/0', 'unix:///run/redis.sock', 'write to me@example.com: it works', 'a:b@c'])(
  '%s has none',
  (text) => expect(maskUrlPasswords(text)).toBe(text),
);

// A time that grows with the square of the length would be more than a test has.
test.each(['a-', 'a://a:', '://'])('a million times %j holds none', (part) => {
  const text = part.repeat(1_000_000);
  expect(maskUrlPasswords(text)).toBe(text);
});
