import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

function connect(url: string): Socket {
  return createConnection(url.replace('unix://', ''));
}

/** Calls of clients, read off MONITOR for a while: commands that are not a script's. */
export class RedisCallCounter {
  private calls = 0;
  private readonly url: string;
  private readonly socket: Socket;
  private over: (() => void) | undefined;

  private constructor(url: string) {
    this.url = url;
    this.socket = connect(url);
  }

  /** Counts from now on. */
  static async open(url: string): Promise<RedisCallCounter> {
    const counter = new RedisCallCounter(url);
    counter.socket.write('MONITOR\r\n');
    const lines = createInterface({ input: counter.socket });
    await once(lines, 'line');
    lines.on('line', (line) => counter.note(line));
    return counter;
  }

  /** How many there were until now, all of them read. */
  async close(): Promise<number> {
    const marked = new Promise<void>((resolve) => (this.over = resolve));
    const socket = connect(this.url);
    socket.write(`ECHO ${MARK}\r\n`);
    await marked;
    socket.destroy();
    this.socket.destroy();
    return this.calls;
  }

  private note(line: string): void {
    if (line.endsWith(`"${MARK}"`)) this.over?.();
    else if (line.startsWith('+') && !line.includes(' lua] ')) this.calls++;
  }
}

const MARK = 'the-end-of-what-is-counted';

/** Bytes that a Redis uses for what it holds. */
export async function usedMemory(url: string): Promise<number> {
  return (await readInfo(url, 'memory', ['used_memory'])).used_memory;
}

export interface Traffic {
  /** Bytes that Redis was sent. */
  readonly sent: number;
  /** Bytes that Redis sent back. */
  readonly received: number;
}

/** What went to and from a Redis while `work` was done, but for this question itself; and what came of the work. */
export async function measureTraffic<T>(url: string, work: () => Promise<T>): Promise<Traffic & { done: T }> {
  const asked = [await readTraffic(url), await readTraffic(url)] as const;
  const done = await work();
  const after = await readTraffic(url);
  const of = (key: keyof Traffic) => after[key] - asked[1][key] - (asked[1][key] - asked[0][key]);
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
  throw new Error(`Redis does not say ${fields.join(', ')}`);
}
