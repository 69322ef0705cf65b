import { access, stat } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { serverState } from './server-state.ts';
import { startPrivateRedis } from './start-private-redis.ts';
import { runInChildProcess } from './testing/child-process.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

const patient = { timeout: 120_000 };

async function info(url: string): Promise<Map<string, string>> {
  const client = new Redis(url.replace('unix://', ''));
  const text = await client.info();
  client.disconnect();
  return new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
}

const pidIn = async (parent: ReturnType<typeof runInChildProcess>): Promise<string> =>
  ((await parent.next()) as { url: string }).url;

test(
  'it listens on a socket only, keeps an append-only file, never evicts, and leaves nothing',
  patient,
  async () => {
    const server = await startPrivateRedis();
    const facts = await info(server.url);
    expect(facts.get('tcp_port')).toBe('0');
    expect(facts.get('aof_enabled')).toBe('1');
    expect(facts.get('maxmemory_policy')).toBe('noeviction');
    expect(facts.get('process_id')).toBe(String(server.pid));
    await server.stop();
    await server.stop();
    await expect(access(server.dir)).rejects.toThrow('ENOENT');
    await expect(access(server.url.slice('unix://'.length))).rejects.toThrow('ENOENT');
  },
);

test(
  'a directory has one address, and a socket file that a crash left is no hindrance',
  patient,
  async () => {
    const dir = await createTemporaryDir();
    const crashed = await startPrivateRedis({ dir });
    process.kill(crashed.pid, 'SIGKILL');
    await vi.waitFor(async () => expect(await serverState(crashed.url)).toBeUndefined());
    const server = await startPrivateRedis({ dir });
    expect(server.url).toBe(crashed.url);
    // The end of the one that crashed does not take the socket from the one that took over.
    await crashed.stop();
    expect(await serverState(server.url)).toEqual({ pid: server.pid, loading: false });
    await server.stop();
  },
);

test.each([
  ['too long for a socket address', 'd'.repeat(120)],
  ['changed by a URL', 'a b%20c'],
])(
  'a directory whose path is %s has its socket elsewhere, 0700, gone after the end',
  patient,
  async (_, name) => {
    const server = await startPrivateRedis({ dir: join(await createTemporaryDir(), name) });
    const socket = server.url.slice('unix://'.length);
    expect(dirname(socket)).not.toBe(server.dir);
    expect((await stat(dirname(socket))).mode & 0o777).toBe(0o700);
    expect(await serverState(server.url)).toBeDefined();
    await server.stop();
    await expect(access(dirname(socket))).rejects.toThrow('ENOENT');
  },
);

test('more arguments override: a node of a cluster on a port of 127.0.0.1', patient, async () => {
  const args = ['--cluster-enabled', 'yes', '--maxmemory', '10mb', '--maxmemory-policy', 'allkeys-lru'];
  const server = await startPrivateRedis({ listen: 'tcp', args });
  const facts = await info(server.url);
  expect(server.url).toBe(`redis://127.0.0.1:${facts.get('tcp_port')}`);
  expect(facts.get('cluster_enabled')).toBe('1');
  expect(facts.get('maxmemory')).toBe(String(10 << 20));
  expect(facts.get('maxmemory_policy')).toBe('allkeys-lru');
  await server.stop();
});

test('a server that ends early is not waited for, and its last words are in the error', patient, async () => {
  const attempt = startPrivateRedis({ args: ['--no-such-setting', 'yes'] });
  await expect(attempt).rejects.toThrow(/exited with code 1; it said last:[^]*no-such-setting/);
});

/** The end of a killed process leaves the directory, so it is the test's. */
const startIn = async (more: string) =>
  runInChildProcess(
    `const server = await redis.startPrivateRedis({ dir: ${JSON.stringify(await createTemporaryDir())} });
    ${more}
    print({ url: server.url });`,
  );

test('kill -9 of the parent leaves no Redis behind', patient, async () => {
  const parent = await startIn('setInterval(() => {}, 1000);');
  const url = await pidIn(parent);
  parent.child.kill('SIGKILL');
  await vi.waitFor(async () => expect(await serverState(url)).toBeUndefined(), { timeout: 30_000 });
});

test('a parent that just ends leaves no Redis behind, and is not kept by it', patient, async () => {
  const parent = await startIn('');
  const url = await pidIn(parent);
  await parent.ended();
  await vi.waitFor(async () => expect(await serverState(url)).toBeUndefined(), { timeout: 30_000 });
});

test('Ctrl-C does not end the Redis before its parent is done with it', patient, async () => {
  const parent = await startIn(
    `const { Redis } = await import('ioredis');
    process.once('SIGINT', async () => {
      const client = new Redis(server.url.slice('unix://'.length));
      // This command holds for half a second, in which a server that had got the signal too would end and hang up.
      print({ replicas: await client.wait(1, 500) });
      client.disconnect();
      await server.stop();
    });
    setInterval(() => {}, 1000);`,
  );
  await parent.next();
  process.kill(-(parent.child.pid as number), 'SIGINT');
  expect(await parent.next()).toEqual({ replicas: 0 });
});
