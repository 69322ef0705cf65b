import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { BatonProcess, DEV_READY_LINE } from '../processes/baton-process.ts';

const root = new URL('../..', import.meta.url).pathname;

/** `npx baton` without the start of npm, which takes longer than the command itself; any other `npx` is the real one. */
const NPX_WITHOUT_NPM = `#!/bin/sh
if [ "$1" = baton ]; then shift; exec ${join(root, 'node_modules/.bin/baton')} "$@"; fi
PATH=\${PATH#*:} exec npx "$@"
`;

/** A folder that has what a clone has, in which `baton dev` runs and commands of the pages are typed. */
export class QuickstartFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'baton-readme-'));
  dev!: BatonProcess;
  private readonly shells = new Set<number>();

  /** `throughNpm`: `npx` is npm's, as it is typed; else `npx baton` starts the command at once. */
  static async start({ throughNpm = false } = {}): Promise<QuickstartFolder> {
    const clone = new QuickstartFolder();
    for (const part of ['node_modules', 'tests', 'docs'])
      symlinkSync(join(root, part), join(clone.folder, part));
    if (!throughNpm) {
      mkdirSync(clone.commands);
      writeFileSync(join(clone.commands, 'npx'), NPX_WITHOUT_NPM, { mode: 0o755 });
    }
    await clone.startDev();
    return clone;
  }

  async startDev(): Promise<void> {
    this.dev = await BatonProcess.start('dev', { ...this.environment, PORT: '0' }, DEV_READY_LINE);
  }

  /** The folder before all others on the `PATH` of the shells. */
  private get commands(): string {
    return join(this.folder, '.commands');
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
    const env = { PATH: `${this.commands}:${PATH}`, HOME };
    // A group of its own, so that nothing of it outlives a test that fails.
    const shell = spawn('bash', ['-c', script], { cwd: this.folder, env, detached: true });
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
