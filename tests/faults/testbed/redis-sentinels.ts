import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServerProgram, type PrivateRedis, startPrivateRedis } from '@baton/local-redis';
import { Redis } from 'ioredis';
import { findFreePorts } from '../../harness/free-ports.ts';
import { holdsWithin } from '../../harness/poll.ts';

const NAME = 'baton';
/** `down-after-milliseconds`. */
const DOWN_AFTER_MS = 1_500;

/** One master, two replicas and three Sentinels as processes. */
export class RedisSentinels {
  readonly url: string;
  readonly servers: readonly PrivateRedis[];
  private readonly dir: string;
  private readonly processes: readonly ChildProcess[];
  private readonly ports: readonly number[];

  private constructor(dir: string, servers: PrivateRedis[], watchers: ChildProcess[], ports: number[]) {
    this.dir = dir;
    this.servers = servers;
    this.processes = watchers;
    this.ports = ports;
    this.url = `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/${NAME}`;
  }

  static async start(): Promise<RedisSentinels> {
    const args = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];
    const servers = await Promise.all([0, 1, 2].map(() => startPrivateRedis({ listen: 'tcp', args })));
    const port = portOf(servers[0]!);
    for (const server of servers.slice(1)) {
      const client = new Redis(server.url);
      await client.replicaof('127.0.0.1', port);
      client.disconnect();
    }
    const dir = await mkdtemp(join(tmpdir(), 'baton-sentinels-'));
    const program = await findServerProgram();
    const ports = await findFreePorts(3);
    const watchers = await Promise.all(
      ports.map(async (own) => {
        const file = join(dir, `${own}.conf`);
        await writeFile(
          file,
          [
            `port ${own}`,
            'bind 127.0.0.1',
            `dir ${dir}`,
            `sentinel monitor ${NAME} 127.0.0.1 ${port} 2`,
            `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
            `sentinel failover-timeout ${NAME} 10000`,
            `sentinel parallel-syncs ${NAME} 2`,
          ].join('\n'),
        );
        return spawn(program, [file, '--sentinel'], { stdio: 'ignore' });
      }),
    );
    const all = new RedisSentinels(dir, servers, watchers, ports);
    const seen = async () => {
      const known = await all.query((client) => client.call('SENTINEL', 'CKQUORUM', NAME));
      const replicas = (await all.query((client) => client.call('SENTINEL', 'REPLICAS', NAME))) as
        | unknown[]
        | undefined;
      return String(known).startsWith('OK 3') && replicas?.length === 2;
    };
    if (!(await holdsWithin(seen, 30_000, 200))) {
      await all.stop();
      throw new Error('the Sentinels did not find each other');
    }
    return all;
  }

  /** The current master according to the Sentinels. */
  async master(): Promise<PrivateRedis> {
    const address = (await this.query((client) =>
      client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME),
    )) as [string, string] | undefined;
    const found = this.servers.find((server) => String(portOf(server)) === address?.[1]);
    if (found === undefined) throw new Error(`the Sentinels report an unknown master: ${String(address)}`);
    return found;
  }

  /** Waits until another server than `old` is the master; false when none is within the limit. */
  waitForOtherMaster(old: PrivateRedis, limitMs: number): Promise<boolean> {
    return holdsWithin(async () => (await this.master().catch(() => old)) !== old, limitMs, 50);
  }

  async stop(): Promise<void> {
    for (const watcher of this.processes) watcher.kill('SIGKILL');
    for (const { pid } of this.servers) {
      try {
        process.kill(pid, 'SIGCONT');
      } catch {
        // It has exited already.
      }
    }
    await Promise.all(this.servers.map((server) => server.stop()));
    await rm(this.dir, { recursive: true, force: true });
  }

  private async query(question: (client: Redis) => Promise<unknown>): Promise<unknown> {
    const client = new Redis(this.ports[0]!, '127.0.0.1', { maxRetriesPerRequest: 1, commandTimeout: 1_000 });
    client.on('error', () => {});
    try {
      return await question(client);
    } catch {
      return undefined;
    } finally {
      client.disconnect();
    }
  }
}

function portOf(server: PrivateRedis): number {
  return Number(new URL(server.url).port);
}
