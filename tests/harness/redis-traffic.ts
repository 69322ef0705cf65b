import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { MonitorConnection } from '@baton/store/testing/monitor-connection';

function connect(url: string): Socket {
  return createConnection(url.replace('unix://', ''));
}

/** Counts the commands of clients by MONITOR, without those of scripts. */
export class RedisCallCounter {
  private readonly counted: { calls: number };
  private readonly connection: MonitorConnection;

  private constructor(counted: { calls: number }, connection: MonitorConnection) {
    this.counted = counted;
    this.connection = connection;
  }

  /** Starts counting. */
  static async open(url: string): Promise<RedisCallCounter> {
    const counted = { calls: 0 };
    const connection = await MonitorConnection.open(url, (_command, byScript) => {
      if (!byScript) counted.calls++;
    });
    return new RedisCallCounter(counted, connection);
  }

  /** Stops counting; returns the number of commands up to this call. */
  async close(): Promise<number> {
    await this.connection.caughtUp();
    this.connection.close();
    return this.counted.calls;
  }
}

/** `used_memory` of a Redis. */
export async function usedMemory(url: string): Promise<number> {
  return (await readInfo(url, 'memory', ['used_memory'])).used_memory;
}

export interface Traffic {
  /** Bytes sent to Redis. */
  readonly sent: number;
  /** Bytes received from Redis. */
  readonly received: number;
}

/** The bytes sent to and received from a Redis during `work`, without those of this measurement, and the result of `work`. */
export async function measureTraffic<T>(url: string, work: () => Promise<T>): Promise<Traffic & { done: T }> {
  const before = [await readTraffic(url), await readTraffic(url)] as const;
  const done = await work();
  const after = await readTraffic(url);
  const of = (key: keyof Traffic) => after[key] - before[1][key] - (before[1][key] - before[0][key]);
  return { done, sent: of('sent'), received: of('received') };
}

async function readTraffic(url: string): Promise<Traffic> {
  const { total_net_input_bytes: sent, total_net_output_bytes: received } = await readInfo(url, 'stats', [
    'total_net_input_bytes',
    'total_net_output_bytes',
  ]);
  return { sent, received };
}

async function readInfo<Field extends string>(
  url: string,
  section: string,
  fields: readonly Field[],
): Promise<Record<Field, number>> {
  const socket = connect(url);
  socket.write(`INFO ${section}\r\n`);
  const found = new Map<string, number>();
  for await (const line of createInterface({ input: socket })) {
    const [, field = '', value] = /^(\w+):(\d+)/.exec(line) ?? [];
    found.set(field, Number(value));
    if (fields.every((one) => found.has(one))) {
      socket.destroy();
      return Object.fromEntries(fields.map((one) => [one, found.get(one) ?? 0])) as Record<Field, number>;
    }
  }
  throw new Error(`INFO lacks ${fields.join(', ')}`);
}
