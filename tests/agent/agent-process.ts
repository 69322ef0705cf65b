import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { AnyJson } from '../harness/mcp-client.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** A real process that answers, with its standard output in a pipe. */
export class AgentProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  readonly errors: string[] = [];
  private readonly exited: Promise<unknown[]>;
  private readonly waiting = new Set<() => void>();

  private constructor(args: readonly string[], environment: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    });
    // Its end is known only when all that it said was read.
    this.exited = once(this.child, 'close');
    for (const [stream, lines] of [
      [this.child.stdout, this.lines],
      [this.child.stderr, this.errors],
    ] as const) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        for (const wake of this.waiting) wake();
      });
    }
    void this.exited.then(() => {
      for (const wake of this.waiting) wake();
    });
  }

  /** `baton agent`, as its user starts it. */
  static startBatonAgent(flags: readonly string[], environment: NodeJS.ProcessEnv = {}): AgentProcess {
    return new AgentProcess(['dist/baton.js', 'agent', ...flags], {
      BATON_DATA_DIR: '/nonexistent',
      ...environment,
    });
  }

  /** A program in TypeScript. */
  static startProgram(path: string, environment: NodeJS.ProcessEnv): AgentProcess {
    return new AgentProcess(['--import', 'tsx', path], environment);
  }

  /** What it wrote as JSON lines. */
  get events(): AnyJson[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  countEvents(event: string): number {
    return this.events.filter((one) => one.event === event).length;
  }

  /** Waits for what its lines say. Fails when it ends without having said so. */
  async waitUntil(holds: (agent: AgentProcess) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the agent has ended:\n${[...this.lines, ...this.errors].join('\n')}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Its exit code, or the signal that ended it. */
  async waitForExit(signal?: NodeJS.Signals): Promise<number | string> {
    if (signal !== undefined) this.child.kill(signal);
    const [code, by] = (await this.exited) as [number | null, string | null];
    return code ?? by ?? '';
  }
}
