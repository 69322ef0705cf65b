import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serverState } from './server-state.ts';

const READY_MS = 30_000;
const RETRY_MS = 20;
const KILL_AFTER_MS = 5_000;
const KEPT_OUTPUT = 4_000;

/**
 * Becomes the program, so that its pid is the one we spawned, and leaves a watcher that reads our end of a pipe. The pipe closes when this
 * process is gone, however it went; then the watcher ends the program. While it lives, its process group keeps the number `$$` taken.
 */
const SCRIPT = `
exec 3<&0 </dev/null
(
  while read -r _; do :; done <&3
  kill -TERM $$ || exit
  for _ in 1 2 3 4 5; do sleep 1; kill -0 $$ || exit; done
  kill -KILL $$
) >/dev/null 2>&1 &
exec 3<&-
exec "$@"
`;

/** A server that was started and answers. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** SIGTERM, and SIGKILL after 5 s; resolves when it has ended. Safe to repeat. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a server on the data in `dir` (absolute, used by no other server) and resolves when it answers and has loaded its data. It listens
 * on a unix socket, or on a `port` of 127.0.0.1. It never outlives this process, and a Ctrl-C in the terminal does not reach it: it has to
 * serve until this process has drained. `args` come last and override.
 * @throws Error with the last lines that the server printed.
 */
export async function startServer(
  program: string,
  {
    dir,
    port,
    args = [],
    env = {},
  }: { dir: string; port?: number; args?: readonly string[]; env?: NodeJS.ProcessEnv },
): Promise<ServerProcess> {
  const socket = port === undefined ? await chooseSocket(dir) : undefined;
  const listen =
    socket === undefined
      ? ['--bind', '127.0.0.1', '--port', String(port)]
      : ['--port', '0', '--unixsocket', socket.path, '--unixsocketperm', '700'];
  const url = socket === undefined ? `redis://127.0.0.1:${port}` : `unix://${socket.path}`;
  const kept = ['--dir', dir, '--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', program, ...listen, ...kept, ...args], {
    cwd: dir,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (text) => (printed = (printed + text).slice(-KEPT_OUTPUT)));
  // Writing to nobody: the pipe exists for its end alone.
  child.stdin.on('error', () => {});
  await once(child, 'spawn');
  const pid = child.pid as number;
  // 'close' comes after the last output was read.
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;

  let stopping: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    child.ref();
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(timer);
    await socket?.remove();
  };
  const stop = () => (stopping ??= end());

  const early = ended.then(
    ([code, signal]) => `it ${signal ? `was ended by ${signal}` : `exited with code ${code}`}`,
  );
  const problem = await Promise.race([whenReady(url, pid), early]);
  if (problem !== undefined) {
    await stop();
    throw new Error(`${program} did not start: ${problem}; it said last:\n${printed.trim()}`);
  }
  // From here on it does not keep this process alive.
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref();
  return { url, pid, stop };
}

/** Makes sure that `dir` exists and that its owner alone may enter: the socket and the data in it have no password. */
export async function privateDirectory(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // mkdir leaves the mode of a directory that was there already.
  await chmod(dir, 0o700);
  return dir;
}

/** Of sockaddr_un's sun_path, without the closing NUL. */
const LONGEST_SOCKET = process.platform === 'darwin' ? 103 : 107;

/**
 * In `dir`, where the server itself replaces the socket that a crash left. In a new directory where the path is too long for the address of
 * a socket, or holds characters that a URL would encode.
 */
async function chooseSocket(dir: string): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = join(dir, 'redis.sock');
  if (Buffer.byteLength(path) <= LONGEST_SOCKET && new URL(`unix://${path}`).pathname === path)
    return { path, remove: async () => {} };
  const made = await mkdtemp(join(tmpdir(), 'baton-'));
  return { path: join(made, 'redis.sock'), remove: () => rm(made, { recursive: true, force: true }) };
}

/** Resolves when the server is ready, or with what stood against it. A server that loads its data may take its time. */
async function whenReady(url: string, pid: number): Promise<string | undefined> {
  for (let deadline = Date.now() + READY_MS; Date.now() < deadline; await delay(RETRY_MS)) {
    const state = await serverState(url);
    // Somebody else's server may have the port: ours is about to say so, and to end.
    if (state?.pid !== pid) continue;
    if (!state.loading) return undefined;
    deadline = Date.now() + READY_MS;
  }
  return `it did not answer within ${READY_MS} ms`;
}
