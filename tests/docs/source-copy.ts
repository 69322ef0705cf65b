import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { REPOSITORY_ROOT } from './read-markdown-pages.ts';

/** What a clone does not have. */
const NOT_CLONED = new Set(['node_modules', 'dist', '.git', '.baton', '.cache']);

/** A copy of the sources whose packages count as installed, for commands that work on the whole tree. */
export class SourceCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'baton-source-'));
  private readonly shells: ChildProcess[] = [];

  static create(): SourceCopy {
    const tree = new SourceCopy();
    const { folder } = tree;
    cpSync(REPOSITORY_ROOT, folder, { recursive: true, filter: (path) => !NOT_CLONED.has(basename(path)) });
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@baton'), { recursive: true });
    for (const name of readdirSync(join(REPOSITORY_ROOT, 'node_modules'))) {
      if (name !== '@baton' && name !== '.baton-installed')
        symlinkSync(join(REPOSITORY_ROOT, 'node_modules', name), join(modules, name));
    }
    for (const parent of ['apps', 'packages'])
      for (const name of readdirSync(join(folder, parent)))
        symlinkSync(join(folder, parent, name), join(modules, '@baton', name));
    const lock = createHash('sha256')
      .update(readFileSync(join(folder, 'package-lock.json')))
      .digest('hex');
    writeFileSync(join(modules, '.baton-installed'), lock);
    return tree;
  }

  /** Types a command, and resolves with the first match of `ready` in what it says; it runs on until `end`. */
  async start(command: string, ready: RegExp, environment: NodeJS.ProcessEnv = {}): Promise<RegExpExecArray> {
    const { PATH, HOME } = process.env;
    const shell = spawn('bash', ['-c', command], {
      cwd: this.folder,
      env: { PATH, HOME, ...environment },
      detached: true,
    });
    this.shells.push(shell);
    const said: string[] = [];
    return new Promise((resolve, reject) => {
      for (const stream of [shell.stdout, shell.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line);
          const match = ready.exec(line);
          if (match !== null) resolve(match);
        });
      shell.once('exit', (code) => reject(new Error(`'${command}' ended with ${code}:\n${said.join('\n')}`)));
    });
  }

  /** Runs a command to its end; gives its exit code and what it says. */
  async run(command: string): Promise<{ code: number | null; said: string }> {
    const { PATH, HOME } = process.env;
    const shell = spawn('bash', ['-c', command], { cwd: this.folder, env: { PATH, HOME }, detached: true });
    this.shells.push(shell);
    let said = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part) => (said += String(part)));
    const [code] = (await once(shell, 'close')) as [number | null];
    return { code, said };
  }

  /** Ends what was started, as Ctrl-C does, and removes the copy. */
  async end(): Promise<void> {
    await Promise.all(
      this.shells.map(async (shell) => {
        if (shell.exitCode !== null || shell.signalCode !== null) return;
        const ended = once(shell, 'close');
        // The group: a shell does not pass a signal on.
        process.kill(-(shell.pid ?? 0), 'SIGINT');
        await ended;
      }),
    );
    rmSync(this.folder, { recursive: true, force: true });
  }
}
