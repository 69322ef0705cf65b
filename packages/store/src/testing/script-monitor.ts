import { Redis } from 'ioredis';
import { type AnyScript, ALL_SCRIPTS } from './all-scripts.ts';
import { MonitorConnection } from './monitor-connection.ts';
import { ioredisUrl } from './store-fixture.ts';

interface Line {
  readonly args: readonly string[];
  readonly byScript: boolean;
}

/** One run of a script as its server saw it: the keys it was given, and the commands that it ran. */
export interface ScriptRun {
  readonly script: string;
  readonly keys: readonly string[];
  readonly commands: readonly (readonly string[])[];
}

/** The runs of scripts that a server tells of, by MONITOR. */
export class ScriptMonitor {
  private readonly client: Redis;
  private readonly lines: Line[];
  private readonly connection: MonitorConnection;

  private constructor(client: Redis, lines: Line[], connection: MonitorConnection) {
    this.client = client;
    this.lines = lines;
    this.connection = connection;
  }

  static async open(url: string): Promise<ScriptMonitor> {
    const lines: Line[] = [];
    const connection = await MonitorConnection.open(url, (command, byScript) =>
      lines.push({ args: argumentsOf(command), byScript }),
    );
    return new ScriptMonitor(new Redis(ioredisUrl(url)), lines, connection);
  }

  /** The runs of our own scripts so far, and of `others`. */
  async runs(others: readonly AnyScript[] = []): Promise<ScriptRun[]> {
    await this.connection.caughtUp();
    const runs: { script: string; keys: string[]; commands: (readonly string[])[] }[] = [];
    const names = new Map([...ALL_SCRIPTS.values(), ...others].flatMap((script) => namesOf(script)));
    let current: (typeof runs)[number] | undefined;
    for (const { args, byScript } of this.lines) {
      const [command = '', body = '', count = '0'] = args;
      if (byScript) {
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
    this.connection.close();
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
}

/** A script as EVALSHA and as EVAL name it. */
function namesOf(script: AnyScript): [string, string][] {
  return [
    [script.sha, script.name],
    [script.source, script.name],
  ];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

/** The arguments of a command as MONITOR writes it, quoted, and each byte that is no printable character as `\xHH`. */
function argumentsOf(command: string): string[] {
  return [...command.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => {
    const bytes = quoted.replaceAll(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex?: string, letter = '') =>
      hex === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(bytes, 'latin1').toString();
  });
}
