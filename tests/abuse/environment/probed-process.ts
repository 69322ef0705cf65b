import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AnyJson } from '../../harness/mcp-client.ts';

const PROBE = fileURLToPath(new URL('./event-loop-probe.mjs', import.meta.url));

/** Measurements of one process since the last one. */
export interface LoopMeasurement {
  /** The longest block of its event loop, in milliseconds of CPU time. */
  readonly blockedMs: number;
  /** How long it was runnable without a CPU, in milliseconds. */
  readonly waitedForCpuMs: number;
}

/** A process that does not reply to the probe for this long is stuck. */
const STUCK_MS = 15_000;

/** A process of the environment, started with the event loop probe. */
export class ProbedProcess {
  readonly name: string;
  readonly child: ChildProcess;
  /** The IPC message that it sent when it was ready. */
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
        throw new Error(`${name} did not start:\n${errors.join('')}`);
      }),
    ]);
    return new ProbedProcess(name, child, said, errors);
  }

  /** Returns and clears its output. */
  takeLog(): string {
    return this.errors.splice(0).join('');
  }

  /** Reads and resets the probe. Errors: when the process has exited, or its event loop is stuck. */
  async takeMeasurement(): Promise<LoopMeasurement> {
    if (this.child.exitCode !== null || this.child.signalCode !== null)
      throw new Error(
        `${this.name} has exited (${this.child.exitCode ?? this.child.signalCode}):\n${this.takeLog()}`,
      );
    return new Promise((resolve, reject) => {
      const stuck = setTimeout(() => reject(new Error(`the event loop of ${this.name} is stuck`)), STUCK_MS);
      const onMessage = (message: AnyJson) => {
        if (message.probe !== 'taken') return;
        this.child.off('message', onMessage);
        clearTimeout(stuck);
        resolve(message as LoopMeasurement);
      };
      this.child.on('message', onMessage);
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
