import { Redis } from 'ioredis';
import { type AnyScript, ALL_SCRIPTS } from './all-scripts.ts';
import { ioredisUrl } from './store-fixture.ts';

interface Line {
  readonly args: readonly string[];
  readonly source: string;
}

/** One run of a script as its server saw it: the keys it was given, and the commands that it ran. */
export interface ScriptRun {
  readonly script: string;
  readonly keys: readonly string[];
  readonly commands: readonly (readonly string[])[];
}

/** Records what a server executes, by MONITOR on an unconfined connection of its own. */
export class RedisMonitor {
  private readonly client: Redis;
  private readonly tap: Redis;
  private readonly lines: Line[] = [];

  private constructor(client: Redis, tap: Redis) {
    this.client = client;
    this.tap = tap;
    tap.on('monitor', (_time: string, args: string[], source: string) => this.lines.push({ args, source }));
  }

  static async open(url: string): Promise<RedisMonitor> {
    const client = new Redis(ioredisUrl(url));
    return new RedisMonitor(client, await client.monitor());
  }

  /** The runs of our own scripts so far, and of `others`. */
  async runs(others: readonly AnyScript[] = []): Promise<ScriptRun[]> {
    await this.caughtUp();
    const runs: { script: string; keys: string[]; commands: (readonly string[])[] }[] = [];
    const names = new Map([...ALL_SCRIPTS.values(), ...others].flatMap((script) => namesOf(script)));
    let current: (typeof runs)[number] | undefined;
    for (const { args, source } of this.lines) {
      const [command = '', body = '', count = '0'] = args;
      if (source === 'lua') {
        current?.commands.push(args);
        continue;
      }
      current = undefined;
      const script = /^eval/i.test(command) ? names.get(body) : undefined;
      if (script === undefined) continue;
      current = { script, keys: args.slice(3, 3 + Number(count)), commands: [] };
      runs.push(current);
    }
    return runs;
  }

  /** What scripts touched that they were not given: `<script> <COMMAND> <key>`. */
  async undeclared(runs: readonly ScriptRun[]): Promise<string[]> {
    const found = await Promise.all(
      runs.map(async ({ script, keys, commands }) => {
        const touched = await Promise.all(
          commands.map(async (args) => ({ name: args[0], keys: await this.keysOf(args) })),
        );
        return touched.flatMap((one) =>
          one.keys.filter((key) => !keys.includes(key)).map((key) => `${script} ${one.name} ${key}`),
        );
      }),
    );
    return [...new Set(found.flat())];
  }

  close(): void {
    this.tap.disconnect();
    this.client.disconnect();
  }

  /** Redis itself says which arguments of a command are keys. */
  private async keysOf(args: readonly string[]): Promise<string[]> {
    if (args.length < 2) return [];
    try {
      return (await this.client.call('COMMAND', 'GETKEYS', ...args)) as string[];
    } catch (error) {
      if (error instanceof Error && /no key arguments|Invalid/.test(error.message)) return [];
      throw error;
    }
  }

  /** What was executed before now has come in. */
  private async caughtUp(): Promise<void> {
    const mark = `mark-${this.lines.length}-${Math.random()}`;
    await this.client.echo(mark);
    while (!this.lines.some(({ args }) => args[1] === mark))
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A script as EVALSHA and as EVAL name it, the latter as MONITOR writes its text. */
function namesOf(script: AnyScript): [string, string][] {
  const text = [...Buffer.from(script.source)].map(escaped).join('').replaceAll('\\"', '"');
  return [
    [script.sha, script.name],
    [text, script.name],
  ];
}

function escaped(byte: number): string {
  if (byte === 0x0a) return '\\n';
  if (byte === 0x5c) return '\\\\';
  if (byte === 0x22) return '\\"';
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
