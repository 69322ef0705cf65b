import { setTimeout as delay } from 'node:timers/promises';
import { sendCommand } from '../client/send-command.ts';
import { findFreePort } from '../system/free-port.ts';
import { errorMessage } from '../system/error-message.ts';
import { waitForPong } from '../client/ping.ts';
import type { ServerBinary } from '../sources/server-binary.ts';
import { chooseSocketPath } from './socket-path.ts';
import { spawnBoundToParent, type ParentBoundProcess } from '../system/parent-bound-process.ts';

const READY_MS = 30_000;
const RETRY_MS = 20;

/** A server that we started and that answered. */
export interface PrivateServer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A server program was found and does not start. Its output says why; another source would not have the data. */
export class ServerStartError extends Error {
  override readonly name = 'ServerDidNotStart';
}

/**
 * Starts `binary` on the data in `dir` (absolute, 0700, used by no other server) and resolves when it answers.
 * `args` come last and so override what is set here. A socket file that a crash left is replaced by the server itself.
 * @throws ServerDidNotStart with the last lines that the server printed.
 */
export async function startPrivateServer(
  binary: ServerBinary,
  { dir, listen, args = [] }: { dir: string; listen: 'unix' | 'tcp'; args?: readonly string[] },
): Promise<PrivateServer> {
  const place = listen === 'unix' ? await listenOnSocket(dir) : await listenOnLoopback(args);
  const kept = ['--dir', dir, '--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const server = await spawnBoundToParent(binary.command, [...place.args, ...kept, ...args], {
    env: binary.env,
    cwd: dir,
  });
  try {
    await waitUntilReady(server, place.url, binary);
  } catch (error) {
    await server.stop();
    await place.remove();
    throw error;
  }
  server.release();
  return {
    url: place.url,
    pid: server.pid,
    stop: async () => {
      await server.stop();
      await place.remove();
    },
  };
}

async function listenOnSocket(
  dir: string,
): Promise<{ args: string[]; url: string; remove: () => Promise<void> }> {
  const { path, remove } = await chooseSocketPath(dir);
  return {
    args: ['--port', '0', '--unixsocket', path, '--unixsocketperm', '700'],
    url: `unix://${path}`,
    remove,
  };
}

async function listenOnLoopback(
  args: readonly string[],
): Promise<{ args: string[]; url: string; remove: () => Promise<void> }> {
  const given = args[args.lastIndexOf('--port') + 1];
  const port = args.includes('--port') && given ? given : String(await findFreePort());
  return {
    args: ['--bind', '127.0.0.1', '--port', port],
    url: `redis://127.0.0.1:${port}`,
    remove: async () => {},
  };
}

async function waitUntilReady(server: ParentBoundProcess, url: string, binary: ServerBinary): Promise<void> {
  const gone = new AbortController();
  const early = server.ended.then((how) => {
    gone.abort();
    throw new Error(`it ${how}`);
  });
  const answering = async (): Promise<void> => {
    for (const deadline = Date.now() + READY_MS; ; ) {
      await waitForPong(url, { limitMs: READY_MS, keepTrying: true, signal: gone.signal });
      const info = await sendCommand(url, ['INFO', 'server'], READY_MS);
      if (info.includes(`process_id:${server.pid}\r\n`)) return;
      // Somebody else's server has the port: ours is about to say so, and to end.
      if (Date.now() > deadline) throw new Error('another server answers in its place');
      await delay(RETRY_MS);
    }
  };
  try {
    await Promise.race([answering(), early]);
  } catch (error) {
    const said = server.lastLines();
    throw new ServerStartError(
      `${binary.command} (${binary.version}) did not start: ${errorMessage(error)}${said && `; it said last:\n${said}`}`,
      { cause: error },
    );
  }
}
