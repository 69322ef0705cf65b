import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './ask.ts';
import { freePort } from './free-port.ts';
import { messageOf } from './message-of.ts';
import { untilPong } from './ping.ts';
import type { ServerBinary } from './server-binary.ts';
import { socketPlaceFor } from './socket-place.ts';
import { spawnWatched, type WatchedProcess } from './watched-process.ts';

const READY_MS = 30_000;
const RETRY_MS = 20;

/** A server that we started and that answered. */
export interface PrivateServer {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

/** A server that was found and yet does not start: its own words say why, and another link would not hold the data. */
export class ServerDidNotStart extends Error {
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
  const place = listen === 'unix' ? await onSocket(dir) : await onLoopback(args);
  const kept = ['--dir', dir, '--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'];
  const server = await spawnWatched(binary.command, [...place.args, ...kept, ...args], {
    env: binary.env,
    cwd: dir,
  });
  try {
    await ready(server, place.url, binary);
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

async function onSocket(dir: string): Promise<{ args: string[]; url: string; remove: () => Promise<void> }> {
  const { path, remove } = await socketPlaceFor(dir);
  return {
    args: ['--port', '0', '--unixsocket', path, '--unixsocketperm', '700'],
    url: `unix://${path}`,
    remove,
  };
}

async function onLoopback(
  args: readonly string[],
): Promise<{ args: string[]; url: string; remove: () => Promise<void> }> {
  const given = args[args.lastIndexOf('--port') + 1];
  const port = args.includes('--port') && given ? given : String(await freePort());
  return {
    args: ['--bind', '127.0.0.1', '--port', port],
    url: `redis://127.0.0.1:${port}`,
    remove: async () => {},
  };
}

async function ready(server: WatchedProcess, url: string, binary: ServerBinary): Promise<void> {
  const gone = new AbortController();
  const early = server.ended.then((how) => {
    gone.abort();
    throw new Error(`it ${how}`);
  });
  const answering = async (): Promise<void> => {
    for (const deadline = Date.now() + READY_MS; ; ) {
      await untilPong(url, { limitMs: READY_MS, keepTrying: true, signal: gone.signal });
      const { text } = await ask(url, ['INFO', 'server'], READY_MS);
      if (text.includes(`process_id:${server.pid}\r\n`)) return;
      // Somebody else's server has the port: ours is about to say so, and to end.
      if (Date.now() > deadline) throw new Error('another server answers in its place');
      await delay(RETRY_MS);
    }
  };
  try {
    await Promise.race([answering(), early]);
  } catch (error) {
    const said = server.lastLines();
    throw new ServerDidNotStart(
      `${binary.command} (${binary.version}) did not start: ${messageOf(error)}${said && `; it said last:\n${said}`}`,
      { cause: error },
    );
  }
}
