import { access, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sendCommand } from './client/send-command.ts';
import { isAnswering } from './client/ping.ts';
import { startPrivateRedis } from './start-private-redis.ts';
import { createTemporaryDir } from './testing/temporary-dir.ts';

// The first test to come here fetches the server where there is none.
const patient = { timeout: 120_000 };

async function info(url: string): Promise<Map<string, string>> {
  const text = await sendCommand(url, ['INFO'], 2000);
  return new Map(text.split('\r\n').map((line) => line.split(':', 2) as [string, string]));
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test(
  'it listens on a socket only, keeps an append-only file and never evicts, for its owner alone',
  patient,
  async () => {
    const server = await startPrivateRedis();
    const facts = await info(server.url);
    expect(facts.get('tcp_port')).toBe('0');
    expect(facts.get('aof_enabled')).toBe('1');
    expect(facts.get('maxmemory_policy')).toBe('noeviction');
    expect(facts.get('process_id')).toBe(String(server.pid));
    expect(server.url).toBe(`unix://${server.dir}/redis.sock`);
    expect(await modeOf(server.dir)).toBe('700');
    expect(await modeOf(join(server.dir, 'redis.sock'))).toBe('700');
    await server.stop();
    await server.stop();
    await expect(access(server.dir)).rejects.toThrow('ENOENT');
    expect(await isAnswering(server.url)).toBe(false);
  },
);

test(
  'a directory that is given keeps its data over a restart, and is closed to others',
  patient,
  async () => {
    const dir = join(await createTemporaryDir(), 'data');
    await mkdir(dir, { mode: 0o755 });
    const first = await startPrivateRedis({ dir });
    expect(await modeOf(dir)).toBe('700');
    await sendCommand(first.url, ['SET', 'key', 'kept'], 2000);
    await first.stop();
    const second = await startPrivateRedis({ dir });
    expect(await sendCommand(second.url, ['GET', 'key'], 2000)).toBe('kept');
    await second.stop();
  },
);

test.each([
  ['too long for a socket address', 'd'.repeat(120)],
  ['changed by a URL', 'a b%20c'],
])(
  'a directory whose path is %s has its socket elsewhere, 0700, gone after the end',
  patient,
  async (_, name) => {
    const dir = join(await createTemporaryDir(), name);
    const server = await startPrivateRedis({ dir });
    const socket = server.url.slice('unix://'.length);
    expect(dirname(socket)).not.toBe(dir);
    expect(await modeOf(dirname(socket))).toBe('700');
    expect(await isAnswering(server.url)).toBe(true);
    await server.stop();
    await expect(access(dirname(socket))).rejects.toThrow('ENOENT');
    expect(await readdir(dir)).toContain('appendonlydir');
  },
);

test('a socket file that a crash left is no hindrance', patient, async () => {
  const dir = await createTemporaryDir();
  const crashed = await startPrivateRedis({ dir });
  process.kill(crashed.pid, 'SIGKILL');
  await vi.waitFor(async () => expect(await isAnswering(crashed.url)).toBe(false));
  expect((await stat(join(dir, 'redis.sock'))).isSocket()).toBe(true);
  const server = await startPrivateRedis({ dir });
  // The end of the one that crashed does not take the socket from the one that took over.
  await crashed.stop();
  expect(await isAnswering(server.url)).toBe(true);
  await server.stop();
});

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

test(
  'a port among the arguments is the one in the URL; a second server on it says why it ends',
  patient,
  async () => {
    const first = await startPrivateRedis({ listen: 'tcp' });
    const port = new URL(first.url).port;
    const second = startPrivateRedis({ listen: 'tcp', args: ['--port', port] });
    await expect(second).rejects.toThrow(/did not start: it exited with code 1.*bind.*in use/is);
    await first.stop();
    const third = await startPrivateRedis({ listen: 'tcp', args: ['--port', port] });
    expect(third.url).toBe(first.url);
    await third.stop();
  },
);

test('a server that ends early is not waited for, and its last words are in the error', patient, async () => {
  const attempt = startPrivateRedis({ args: ['--no-such-setting', 'yes'] });
  await expect(attempt).rejects.toThrow(/exited with code 1; it said last:[^]*no-such-setting/);
});
