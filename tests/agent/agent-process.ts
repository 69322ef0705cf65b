import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { AnyJson } from '../harness/mcp-client.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** An agent as a child process, with its output in pipes. */
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
    // `close` comes after all output was read, `exit` may come before.
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

  /** Starts `baton agent`. */
  static startBatonAgent(flags: readonly string[], environment: NodeJS.ProcessEnv = {}): AgentProcess {
    return new AgentProcess(['dist/baton.js', 'agent', ...flags], {
      BATON_DATA_DIR: '/nonexistent',
      ...environment,
    });
  }

  /** Starts a TypeScript program. */
  static startProgram(path: string, environment: NodeJS.ProcessEnv): AgentProcess {
    return new AgentProcess(['--import', 'tsx', path], environment);
  }

  /** Its standard output as JSON lines. */
  get events(): AnyJson[] {
    return this.lines.map((line) => JSON.parse(line));
  }

  countEvents(event: string): number {
    return this.events.filter((one) => one.event === event).length;
  }

  /** Waits until its output satisfies the predicate. Errors: when the process exits before. */
  async waitUntil(holds: (agent: AgentProcess) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the agent has exited:\n${[...this.lines, ...this.errors].join('\n')}`);
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Waits for the exit; returns the exit code, or the signal that ended the process. */
  async waitForExit(signal?: NodeJS.Signals): Promise<number | string> {
    if (signal !== undefined) this.child.kill(signal);
    const [code, by] = (await this.exited) as [number | null, string | null];
    return code ?? by ?? '';
  }
}
