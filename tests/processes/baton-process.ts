import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const BUILT_COMMAND = new URL('../../dist/baton.js', import.meta.url).pathname;

/** Children that run; killed when this process exits, however it exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A real `baton` process, as an operator starts one. */
export class BatonProcess {
  readonly child: ChildProcess;
  readonly output: string[] = [];
  url = '';

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /**
   * Starts a role and waits for the line that matches `ready`. `entry` is the built command, by default this tree's;
   * `onLine` receives each line of its output.
   */
  static async start(
    role: 'gateway' | 'worker' | 'agent' | 'dev',
    environment: NodeJS.ProcessEnv,
    ready: RegExp,
    entry = BUILT_COMMAND,
    onLine: (line: string) => void = () => {},
  ): Promise<BatonProcess> {
    const child = spawn(process.execPath, [entry, role], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment },
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const baton = new BatonProcess(child);
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          baton.output.push(line);
          onLine(line);
          const match = ready.exec(line);
          if (match) {
            baton.url ||= match[1] ?? '';
            resolve();
          }
        });
      }
      child.once('exit', (code, signal) =>
        reject(new Error(`baton ${role} exited (${code ?? signal}):\n${baton.output.join('\n')}`)),
      );
    });
    return baton;
  }

  /** Sends a signal and waits for the exit; returns the exit code, or the signal that ended the process. */
  async stop(signal: NodeJS.Signals): Promise<number | string> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    if (this.child.signalCode !== null) return this.child.signalCode;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    const [code, by] = (await exited) as [number | null, string | null];
    return code ?? by ?? '';
  }
}

export const GATEWAY_READY_LINE = /listens on (http:\/\/\S+)/;
export const WORKER_READY_LINE = /"msg":"working"/;
export const AGENT_READY_LINE = /"event":"started"/;
export const DEV_READY_LINE = /MCP\s+(http:\/\/\S+)\/mcp/;
