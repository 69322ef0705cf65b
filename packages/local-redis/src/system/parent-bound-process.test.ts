import { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { runInChildProcess } from '../testing/child-process.ts';
import { isAnswering } from '../client/ping.ts';
import { createTemporaryDir } from '../testing/temporary-dir.ts';
import { spawnBoundToParent } from './parent-bound-process.ts';

const here = { env: process.env, cwd: '/' };

/** Resolves when the server behind a unix socket hangs up. */
async function connectionTo(url: string): Promise<{ closed: Promise<unknown> }> {
  const socket = connect(url.slice('unix://'.length));
  await once(socket, 'connect');
  return { closed: once(socket.resume(), 'close') };
}

/** The end of a killed process leaves the directory, so it is the test's. */
const start = async (): Promise<string> =>
  `const server = await redis.startPrivateRedis({ dir: ${JSON.stringify(await createTemporaryDir())} });`;

test('kill -9 of the parent leaves no Redis behind', { timeout: 120_000 }, async () => {
  const parent = runInChildProcess(`${await start()}
    print({ url: server.url });
    setInterval(() => {}, 1000);
  `);
  const { url } = (await parent.next()) as { url: string };
  const { closed } = await connectionTo(url);
  parent.child.kill('SIGKILL');
  await closed;
  expect(await isAnswering(url)).toBe(false);
});

test('a parent that just exits leaves no Redis behind, and is not kept by it', {
  timeout: 120_000,
}, async () => {
  const parent = runInChildProcess(`${await start()}
    print({ url: server.url });
    await new Promise((resolve) => process.stdin.once('data', resolve));
    process.stdin.unref();
  `);
  const { url } = (await parent.next()) as { url: string };
  const { closed } = await connectionTo(url);
  parent.child.stdin?.write('go\n');
  await parent.ended();
  await closed;
  expect(await isAnswering(url)).toBe(false);
});

test('Ctrl-C does not end the Redis before its parent is done with it', { timeout: 120_000 }, async () => {
  const parent = runInChildProcess(`${await start()}
    process.once('SIGINT', async () => {
      // Draining still needs the server. This command holds for half a second, in which a server that had got the
      // signal too would end and hang up.
      const { sendCommand } = await file('client/send-command.ts');
      const text = await sendCommand(server.url, ['WAIT', '1', '500'], 5000);
      await server.stop();
      print({ replicas: text });
    });
    print({ ready: true });
    setInterval(() => {}, 1000);
  `);
  await parent.next();
  process.kill(-(parent.child.pid as number), 'SIGINT');
  expect(await parent.next()).toEqual({ replicas: '0' });
});

test('the program has the pid that we know, and its last lines are kept', async () => {
  const script = 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo "line $i"; done; echo "pid $$" >&2; exit 3';
  const program = await spawnBoundToParent('/bin/sh', ['-c', script], here);
  expect(await program.ended).toBe('exited with code 3');
  const lines = program.lastLines().split('\n');
  expect(lines).toHaveLength(20);
  expect(lines).toEqual(expect.arrayContaining(['line 50', `pid ${program.pid}`]));
});

test('a program that ignores SIGTERM is killed after 5 s, however often it is stopped', async () => {
  const program = await spawnBoundToParent(
    '/bin/sh',
    ['-c', 'trap "" TERM; echo deaf; while :; do sleep 1; done'],
    here,
  );
  await vi.waitFor(() => expect(program.lastLines()).toBe('deaf'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const kill = vi.spyOn(ChildProcess.prototype, 'kill');
  try {
    const stopped = Promise.all([program.stop(), program.stop()]);
    vi.advanceTimersByTime(4_999);
    expect(kill.mock.calls).toEqual([['SIGTERM']]);
    vi.advanceTimersByTime(1);
    await stopped;
    await program.stop();
    expect(kill.mock.calls).toEqual([['SIGTERM'], ['SIGKILL']]);
  } finally {
    kill.mockRestore();
    vi.useRealTimers();
  }
  expect(await program.ended).toBe('was ended by SIGKILL');
});
