import { expect, test } from 'vitest';
import { parseClusterUrl, parseSentinelUrl } from './redis-url.ts';

test('a Sentinel URL names the Sentinels, their master, and what either needs', () => {
  expect(parseSentinelUrl('redis+sentinel://one:1,two/mymaster')).toMatchObject({
    sentinels: [
      { host: 'one', port: 1 },
      { host: 'two', port: 26379 },
    ],
    name: 'mymaster',
  });
  const whole = parseSentinelUrl('rediss+sentinel://me:p%40ss@one:1/my%20master/3?sentinelPassword=hush%2F');
  expect(whole).toMatchObject({
    sentinels: [{ host: 'one', port: 1 }],
    name: 'my master',
    username: 'me',
    password: 'p@ss',
    db: 3,
    sentinelPassword: 'hush/',
    tls: {},
    enableTLSForSentinelMode: true,
  });
});

test.each(['redis://one:1/0', 'redis+cluster://one:1,two:2', 'unix:///sentinel/mymaster'])(
  '%s is none',
  (url) => expect(parseSentinelUrl(url)).toBeUndefined(),
);

test('a cluster URL names its nodes and the password that each takes', () => {
  expect(parseClusterUrl('redis+cluster://:p%40ss@one,two:2')).toEqual({
    nodes: [
      { host: 'one', port: 6379 },
      { host: 'two', port: 2 },
    ],
    nodeOptions: { password: 'p@ss' },
  });
});
