import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AnyJson } from '../../harness/mcp-client.ts';

const PROBE = fileURLToPath(new URL('./event-loop-probe.mjs', import.meta.url));

/** What one process did since it was last asked. */
export interface LoopMeasurement {
  /** The longest that its loop turned to nothing else, in milliseconds of the processor's time. */
  readonly blockedMs: number;
  /** How long it stood ready to run and the machine had no processor for it. */
  readonly waitedForCpuMs: number;
}

/** A loop that does not even say so. */
const STUCK_MS = 15_000;

/** A process of the environment with the probe in it. */
export class ProbedProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it said when it was up. */
  readonly startMessage: AnyJson;
  private readonly errors: string[];

  private constructor(name: string, child: ChildProcess, said: AnyJson, errors: string[]) {
    this.name = name;
    this.child = child;
    this.startMessage = said;
    this.errors = errors;
  }

  static async start(script: string, name: string, args: readonly string[]): Promise<ProbedProcess> {
    const child = fork(script, args, {
      execArgv: ['--import', PROBE],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const errors: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
    }
    const said = await Promise.race([
      once(child, 'message').then(([message]) => message as AnyJson),
      once(child, 'exit').then(() => {
        throw new Error(`${name} did not come up:\n${errors.join('')}`);
      }),
    ]);
    return new ProbedProcess(name, child, said, errors);
  }

  /** What it logged since the last time. It logs only what someone should look at. */
  takeLog(): string {
    return this.errors.splice(0).join('');
  }

  /** Asks the probe, and begins anew. Errors: when the process has ended, or its loop does not turn at all. */
  async takeMeasurement(): Promise<LoopMeasurement> {
    if (this.child.exitCode !== null || this.child.signalCode !== null)
      throw new Error(
        `${this.name} has ended (${this.child.exitCode ?? this.child.signalCode}):\n${this.takeLog()}`,
      );
    return new Promise((resolve, reject) => {
      const stuck = setTimeout(() => reject(new Error(`the loop of ${this.name} does not turn`)), STUCK_MS);
      const hear = (message: AnyJson) => {
        if (message.probe !== 'taken') return;
        this.child.off('message', hear);
        clearTimeout(stuck);
        resolve(message as LoopMeasurement);
      };
      this.child.on('message', hear);
      this.child.send({ probe: 'take' });
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}
