import { Redis } from 'ioredis';
import { afterAll, expect, test, vi } from 'vitest';
import { Connection } from './connection.ts';
import { COMMAND_TIMEOUT } from './redis-client.ts';
import { ReplicatedWriter } from './replicated-writer.ts';
import { sha1 } from '../scripts/compile-script.ts';
import { startRedisWithReplica } from '../testing/redis-replica.ts';

/** What stands before a write, or fails beside it, never keeps its caller waiting, and never answers for it. */
const servers = await startRedisWithReplica();
const look = new Redis(servers.master.url);
afterAll(async () => {
  look.disconnect();
  await servers.stop();
});

async function whileHung<T>(pid: number, body: () => Promise<T>): Promise<T> {
  process.kill(pid, 'SIGSTOP');
  try {
    return await body();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** What a call failed with. */
async function failure(call: Promise<unknown>) {
  return (await call.catch((thrown: unknown) => thrown)) as { message?: string; details?: object };
}

test('however many are queued before it, a write ends in time, and one that was not sent by then never is', async () => {
  const connection = await Connection.open(servers.master.url, { replicas: 1, waitMs: 300, fsync: false });
  const names = Array.from({ length: 700 }, (_, n) => `{hung}:${n}`);
  // Each at its own limit, while the server hangs.
  const errors = await whileHung(servers.master.pid, () =>
    Promise.all(names.map((name) => failure(connection.write('SET', name, 1)))),
  );
  // Behind all that was asked for before, in the one lane there is.
  await expect.poll(() => connection.write('SET', '{hung}:last', 1).catch(() => 'not yet')).toBe('OK');
  const stands = await Promise.all(names.map((name) => look.exists(name)));
  const told = errors.map(({ details }) => details);
  expect(new Set(told.map((details) => JSON.stringify(details)))).toEqual(new Set(['{}', '{"taken":false}']));
  for (const [n, error] of errors.entries()) {
    const taken = stands[n] === 1;
    expect([n, taken, error.message]).toEqual([
      n,
      n < 256,
      expect.stringMatching(
        taken
          ? new RegExp(`no reply in ${COMMAND_TIMEOUT} ms.*not known; repeat`)
          : new RegExp(
              `${COMMAND_TIMEOUT} ms without a turn.*Nothing was changed and nothing is lost; repeat`,
            ),
      ),
    ]);
  }
  await connection.close();
}, 20_000);

/** A lane of its own, whose callers wait for less. */
async function lane(waitMs: number, limitMs: number): Promise<ReplicatedWriter> {
  const options = { enableOfflineQueue: false, commandTimeout: limitMs };
  const replicated = new ReplicatedWriter(
    () => new Redis(servers.master.url, options),
    { replicas: 1, waitMs, fsync: false },
    limitMs,
  );
  await expect.poll(() => replicated.command('PING', '{lane}').catch(() => 'not yet')).not.toBe('not yet');
  return replicated;
}

test('a script that has to be sent twice has no more time for it', async () => {
  const replicated = await lane(600, 800);
  const source = '#!lua\nreturn {redis.call("INCR", KEYS[1])}';
  const script = { source, sha: sha1(source), batched: false };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const error = await whileHung(servers.replica.pid, async () => {
      let isSettled = false;
      const call = failure(replicated.evaluate(script, ['{lane}:twice'], []));
      void call.then(() => (isSettled = true));
      vi.advanceTimersByTime(400);
      // Redis has waited 600 ms for its replica by then, and has the script the second time.
      while ((await look.get('{lane}:twice')) === null);
      vi.advanceTimersByTime(399);
      await look.ping();
      expect(isSettled).toBe(false);
      vi.advanceTimersByTime(1);
      return call;
    });
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('not known') });
  } finally {
    vi.useRealTimers();
  }
  expect(await look.get('{lane}:twice')).toBe('1');
  replicated.close();
});

test('a command that cannot be sent delays no other, and no reply is taken for another', async () => {
  const replicated = await lane(300, 5_000);
  // More text than a string holds, of one short one.
  const parts = Array<string>(140).fill('x'.repeat(4_194_304));
  const beside = replicated.command('SET', '{lane}:beside', 'written');
  const broken = replicated.command('RPUSH', '{lane}:broken', ...parts);
  for (const call of [beside, broken])
    await expect(call).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('not known'),
    });
  const within = { timeout: 5_000 };
  await expect.poll(() => replicated.command('PING', '{lane}').catch(() => 'not yet'), within).toBe('{lane}');
  const added = Array.from({ length: 10 }, (_, n) => replicated.command('INCRBY', `{lane}:n:${n}`, n));
  expect(await Promise.all(added)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  replicated.close();
});
