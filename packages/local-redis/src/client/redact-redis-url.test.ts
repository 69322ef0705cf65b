import { expect, test } from 'vitest';
import { redactRedisUrl } from './redact-redis-url.ts';

test.each([
  ['redis://u:secret@cache:1/2', 'redis://u:***@cache:1/2'],
  ['redis://:secret@cache', 'redis://:***@cache'],
  ['redis://cache?password=secret', 'redis://cache?password=***'],
  ['redis://:sec/ret@h@cache:port', 'redis://***@cache:port'],
  ['secret@cache', '***@cache'],
  ['redis://cache', 'redis://cache'],
  ['/run/redis.sock', '/run/redis.sock'],
])('never shows the password of %s', (url, shown) => {
  expect(redactRedisUrl(url)).toBe(shown);
});
