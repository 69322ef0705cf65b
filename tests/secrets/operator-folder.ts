import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BUILT_COMMAND = new URL('../../dist/baton.js', import.meta.url).pathname;

/** A shell command that goes on until it is ended. */
export interface RunningCommand {
  /** What the line that it was waited for says. */
  readonly match: RegExpExecArray;
  end(): Promise<void>;
}

/** An operator's folder, in which `npx baton` is the built command. */
export class OperatorFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'baton-operator-'));
  private readonly running = new Set<ChildProcess>();

  constructor() {
    const bin = join(this.path, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, 'baton'), `#!/bin/sh\nexec "${process.execPath}" "${BUILT_COMMAND}" "$@"\n`);
    chmodSync(join(bin, 'baton'), 0o755);
  }

  /** Types a command, and resolves with the first line that matches `ready`. Errors: when it ends before. */
  async start(command: string, ready: RegExp): Promise<RunningCommand> {
    const shell = this.spawn(command);
    const said: string[] = [];
    const match = await new Promise<RegExpExecArray>((resolve, reject) => {
      for (const stream of [shell.stdout, shell.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line);
          const found = ready.exec(line);
          if (found !== null) resolve(found);
        });
      shell.once('close', (code) =>
        reject(new Error(`'${command}' ended with ${code}:\n${said.join('\n')}`)),
      );
    });
    return { match, end: () => endGroup(shell, 'SIGTERM') };
  }

  /** Runs a command to its end. */
  async run(command: string): Promise<{ code: number | null; said: string }> {
    const shell = this.spawn(command);
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part) => (said += String(part)));
    const [code] = (await once(shell, 'close')) as [number | null];
    return { code, said };
  }

  async end(): Promise<void> {
    await Promise.all([...this.running].map((shell) => endGroup(shell, 'SIGKILL')));
    rmSync(this.path, { recursive: true, force: true });
  }

  private spawn(command: string) {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, HOST: '127.0.0.1', BATON_UNREADY_MS: '0', BATON_EGRESS_ALLOW: '127.0.0.0/8' };
    const shell = spawn('bash', ['-c', command], {
      cwd: this.path,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.running.add(shell);
    shell.once('close', () => this.running.delete(shell));
    return shell;
  }
}

/** The group of a shell that was started: it passes no signal on. */
async function endGroup(shell: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (shell.exitCode !== null || shell.signalCode !== null || shell.pid === undefined) return;
  const ended = once(shell, 'close');
  process.kill(-shell.pid, signal);
  await ended;
}
