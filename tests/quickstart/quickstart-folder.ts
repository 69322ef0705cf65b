import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BatonProcess, DEV_READY_LINE } from '../processes/baton-process.ts';

const root = new URL('../..', import.meta.url).pathname;

/** A folder that has what a clone has, in which `baton dev` runs and commands of the pages are typed. */
export class QuickstartFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'baton-readme-'));
  dev!: BatonProcess;
  private readonly shells = new Set<number>();

  static async start(): Promise<QuickstartFolder> {
    const clone = new QuickstartFolder();
    for (const part of ['node_modules', 'tests', 'docs'])
      symlinkSync(join(root, part), join(clone.folder, part));
    await clone.startDev();
    return clone;
  }

  async startDev(): Promise<void> {
    this.dev = await BatonProcess.start('dev', { ...this.environment, PORT: '0' }, DEV_READY_LINE);
  }

  get environment() {
    return { BATON_DATA_DIR: join(this.folder, '.baton') };
  }

  get devFile(): { mcpUrl: string; apiKey: string; operatorToken: string; secret: string } {
    return JSON.parse(this.read('.baton/dev.json'));
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Types commands into a shell in this folder; a command that fails ends it. Gives what they print. */
  async sh(...commands: string[]): Promise<string> {
    const script = ['set -euo pipefail', ...commands].join('\n');
    const { PATH, HOME } = process.env;
    // A group of its own, so that nothing of it outlives a test that fails.
    const shell = spawn('bash', ['-c', script], { cwd: this.folder, env: { PATH, HOME }, detached: true });
    const group = -(shell.pid ?? 0);
    this.shells.add(group);
    const ended = once(shell, 'close');
    const [said, complaints] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
    const [code] = await ended;
    this.shells.delete(group);
    if (code !== 0) throw new Error(`the shell ended with ${code}:\n${complaints}\n${said}`);
    return said;
  }

  async end(): Promise<void> {
    for (const group of this.shells) process.kill(group, 'SIGKILL');
    await this.dev.stop('SIGTERM');
    rmSync(this.folder, { recursive: true });
  }
}
