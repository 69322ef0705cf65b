import { startPrivateRedis } from '@baton/local-redis';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ScriptBatcher } from './script-batcher.ts';
import { compileBatchedScript, sha1 } from './compile-script.ts';
import type { CompiledScript } from './script-batch.ts';
import { ioredisUrl } from '../testing/store-fixture.ts';
import { randomSeed } from '@baton/protocol/testing/random-seed';

let server: Awaited<ReturnType<typeof startPrivateRedis>>;
let redis: Redis;
let batcher: ScriptBatcher;

beforeAll(async () => {
  server = await startPrivateRedis();
  redis = new Redis(ioredisUrl(server.url));
  batcher = new ScriptBatcher(redis);
  await redis.ping();
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const batched = (body: string): CompiledScript =>
  compileBatchedScript({ shebang: '#!lua', includes: '', body });
const single = (body: string): CompiledScript => {
  const source = `#!lua\n${body}`;
  return { source, sha: sha1(source), batched: false };
};
const NOTE = batched(`
  if ARGV[1] == 'throw' then return nothing.here end
  if ARGV[1] == 'refuse' then return redis.error_reply('ERR refused') end
  redis.call(ARGV[1] == 'wrong' and 'LPUSH' or 'SET', KEYS[1], ARGV[2] or '')
  return {KEYS[1], #KEYS, #ARGV, ARGV[2] or ''}
`);

/** How many commands left for what `body` does. */
async function commandsOf(body: () => Promise<unknown>): Promise<number> {
  const before = await calls();
  await body();
  return (await calls()) - before;
}
const calls = async () => {
  const info = await redis.info('commandstats');
  return (
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(info)?.[1] ?? 0) +
    Number(/cmdstat_eval:calls=(\d+)/.exec(info)?.[1] ?? 0)
  );
};

test('calls of one script in one turn of the event loop are one command, and each gets its own reply', async () => {
  await batcher.run(NOTE, ['warm'], ['set', '']);
  let replies: unknown[] = [];
  const sent = await commandsOf(async () => {
    replies = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        batcher.run(NOTE, [`k${n}`, 'more'].slice(0, 1 + (n % 2)), ['set', `v${n}`]),
      ),
    );
  });
  expect(sent).toBe(1);
  expect(replies).toEqual(Array.from({ length: 5 }, (_, n) => [`k${n}`, 1 + (n % 2), 2, `v${n}`]));
});

test('each call sees its own keys and arguments, whichever columns it shares with others', async () => {
  const show = batched('return {{unpack(KEYS)}, {unpack(ARGV)}}');
  await batcher.run(show, ['warm'], []);
  // Few words, so that much is the same, and one that is empty.
  const word = fc.constantFrom('', 'a', 'b', '1', '0');
  const row = (minLength: number) => fc.array(word, { minLength, maxLength: 6 });
  const rows = fc.array(fc.tuple(row(1), row(0)), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rows, async (runs) => {
      let replies: unknown[] = [];
      const sent = await commandsOf(async () => {
        replies = await Promise.all(runs.map(([keys, args]) => batcher.run(show, keys, args)));
      });
      expect(replies).toEqual(runs);
      expect(sent).toBe(1);
    }),
    { seed: randomSeed, numRuns: 200 },
  );
});

test('an error of one call is never a reply to another: the others of the batch are done', async () => {
  await redis.set('text', 'no list');
  const outcomes = await Promise.allSettled([
    batcher.run(NOTE, ['a'], ['set', 1]),
    batcher.run(NOTE, ['b'], ['throw']),
    batcher.run(NOTE, ['c'], ['refuse']),
    batcher.run(NOTE, ['text'], ['wrong', 'x']),
    batcher.run(NOTE, ['d'], ['set', 2]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  const reasons = outcomes.map((one) => (one.status === 'rejected' ? String(one.reason.message) : ''));
  expect(reasons[1]).toMatch(/^ERR .*nothing/);
  expect(reasons[2]).toBe('ERR refused');
  expect(reasons[3]).toMatch(/^WRONGTYPE/);
  expect(await redis.mget('a', 'd')).toEqual(['1', '2']);
});

test('a script that is not batched, and a key of another slot, is a command of its own', async () => {
  const alone = single('return {ARGV[1]}');
  await batcher.run(alone, ['x'], [0]);
  const sent = await commandsOf(() =>
    Promise.all([
      batcher.run(alone, ['x'], [1]),
      batcher.run(alone, ['x'], [2]),
      batcher.run(NOTE, ['{s1}a'], ['set', 1]),
      batcher.run(NOTE, ['{s2}a'], ['set', 1]),
      batcher.run(NOTE, ['{s1}b'], ['set', 1]),
    ]),
  );
  expect(sent).toBe(4);
});

test('a batch of sixteen is sent at once, so no command blocks Redis with more', async () => {
  const sent = await commandsOf(() =>
    Promise.all(Array.from({ length: 40 }, (_, n) => batcher.run(NOTE, [`m${n}`], ['set', n]))),
  );
  expect(sent).toBe(3);
  const written = () => redis.stream.bytesWritten + redis.stream.writableLength;
  const runs: Promise<unknown>[] = [];
  for (let n = 0; n < 15; n++) runs.push(batcher.run(NOTE, [`n${n}`], ['set', n]));
  const before = written();
  runs.push(batcher.run(NOTE, ['n15'], ['set', 15]));
  expect(written(), 'the turn has not ended').toBeGreaterThan(before);
  await Promise.all(runs);
});

test('a batch has so many characters of arguments at most, or one call', async () => {
  const lengths = async (...each: number[]) =>
    commandsOf(() =>
      Promise.all(each.map((length, n) => batcher.run(NOTE, [`l${n}`], ['set', 'x'.repeat(length)]))),
    );
  expect(await lengths(87_000, 87_000, 87_000)).toBe(1);
  expect(await lengths(87_000, 87_000, 88_000)).toBe(2);
  expect(await lengths(10, 300_000, 10, 10)).toBe(3);
});

test('batches of many slots fill each by itself', async () => {
  const run = (n: number) => batcher.run(NOTE, [`{s${n % 16}}k${n}`], ['set', n]);
  const sent = await commandsOf(() => Promise.all(Array.from({ length: 64 }, (_, n) => run(n))));
  expect(sent).toBe(16);
});

test('a call is sent after the longest wait, though no reply to an earlier batch comes', async () => {
  const written = () => redis.stream.bytesWritten;
  process.kill(server.pid, 'SIGSTOP');
  const runs: Promise<unknown>[] = [];
  try {
    const before = written();
    runs.push(batcher.run(NOTE, ['p1'], ['set', 1]));
    await vi.waitFor(() => expect(written()).toBeGreaterThan(before));
    const first = written();
    runs.push(batcher.run(NOTE, ['p2'], ['set', 1]));
    await vi.waitFor(() => expect(written(), 'no reply came').toBeGreaterThan(first));
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  expect(await Promise.all(runs)).toHaveLength(2);
});

test('a server that has lost its scripts is sent them again', async () => {
  await redis.call('SCRIPT', 'FLUSH');
  expect(await batcher.run(NOTE, ['again'], ['set', 'x'])).toEqual(['again', 1, 2, 'x']);
});

test('no call waits for a connection that is closed', async () => {
  const lost = new Redis({
    path: ioredisUrl(server.url),
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    retryStrategy: null,
  });
  lost.on('error', () => {});
  await new Promise((resolve) => lost.once('ready', resolve));
  const own = new ScriptBatcher(lost);
  lost.disconnect();
  const outcomes = await Promise.allSettled([
    own.run(NOTE, ['q'], ['set', 1]),
    own.run(NOTE, ['r'], ['set', 1]),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(own.run(NOTE, ['s'], ['set', 1])).rejects.toThrow();
});
