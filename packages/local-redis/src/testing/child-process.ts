/** For tests: this package, run in a process that can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

const LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const SOURCES = new URL('../', import.meta.url).href;

/** A process that runs a piece of code and prints lines of JSON. */
export interface TestChildProcess {
  readonly child: ChildProcess;
  /** The next line that it prints, parsed. Fails with what it complained of when it ends before. */
  readonly next: () => Promise<unknown>;
  readonly ended: () => Promise<void>;
}

/**
 * Runs `code`, an ES module's text in which `redis` is this package and `print(value)` answers us. `environment` replaces the whole of
 * ours. Its process group is its own, as that of a shell's foreground job, and it ends with the test at the latest.
 */
export function runInChildProcess(
  code: string,
  environment: NodeJS.ProcessEnv = process.env,
): TestChildProcess {
  const text = `import * as redis from '${SOURCES}index.ts';
    const print = (value) => console.log(JSON.stringify(value));
    ${code}`;
  const child = spawn(process.execPath, ['--import', LOADER, '--input-type=module', '--eval', text], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment,
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
  const exited = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the other process ended without an answer: ${complaint}`);
      return JSON.parse(value);
    },
    ended: async () => {
      await exited;
    },
  };
}
