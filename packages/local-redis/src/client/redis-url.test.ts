import { describe, expect, test } from 'vitest';
import { parseRedisUrl, redactRedisUrl } from './redis-url.ts';

describe('parseRedisUrl', () => {
  test.each([
    ['redis://cache', { kind: 'tcp', host: 'cache', port: 6379 }],
    [
      'redis://u:p%40ss@cache:7000/2',
      { kind: 'tcp', host: 'cache', port: 7000, username: 'u', password: 'p@ss' },
    ],
    ['rediss://:secret@cache', { kind: 'tls', host: 'cache', port: 6379, password: 'secret' }],
    ['redis://[::1]:6380', { kind: 'tcp', host: '::1', port: 6380 }],
    ['unix:///run/redis.sock', { kind: 'unix', path: '/run/redis.sock' }],
    ['unix:///run/a%20b/redis.sock?db=1', { kind: 'unix', path: '/run/a b/redis.sock' }],
    ['/run/redis.sock?db=1', { kind: 'unix', path: '/run/redis.sock' }],
  ])('reads %s', (url, expected) => {
    expect(parseRedisUrl(url)).toEqual({ username: undefined, password: undefined, ...expected });
  });

  test.each([
    ['cache', 'it is not a URL'],
    ['http://cache', 'the scheme must be redis://, rediss:// or unix://, not http://'],
    ['redis://', 'it names no host'],
  ])('refuses %s, saying why', (url, reason) => {
    expect(() => parseRedisUrl(url)).toThrow(reason);
  });
});

describe('redactRedisUrl', () => {
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
});
