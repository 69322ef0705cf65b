import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { readVitestReport } from './vitest-report.mjs';

/** More files than this that failed are not run again: it is no chance that all of them fail. */
const MAX_REPEATED_FILES = 3;
const SLOWEST_SHOWN = 20;
const FAILURE_LINE = /^ *(FAIL|fail|×|❯|verify:|Error|[A-Za-z]*Error:)|Unhandled/;

/**
 * Suites that run one after another. It prints what they print and the seconds of each, runs a file of vitest that
 * failed once more after all others, and ends with the slowest files, what failed, and `N passed, N failed`.
 */
export class SuiteRun {
  #passed = 0;
  #failed = 0;
  #files = [];
  #failedFiles = [];
  #flaky = [];
  #recalled = [];
  #folder = mkdtempSync(join(tmpdir(), 'baton-suites-'));

  /** A command that is judged by its exit code. */
  async command(name, minutes, command) {
    const { status, output } = await this.#run(name, minutes, command);
    if (status !== 0) this.#fail(name, status, output);
  }

  /** A suite whose last line is `N passed, N failed`. */
  async counted(name, minutes, command) {
    const { status, output } = await this.#run(name, minutes, command);
    const [, passed = 0, failed = 0] = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? [];
    this.#passed += Number(passed);
    this.#failed += Number(failed);
    if (status !== 0) this.#fail(name, status, output, Number(failed) > 0 ? 0 : 1);
  }

  /** A suite of vitest: `command` takes paths of files and options of vitest. */
  async vitest(name, minutes, command) {
    const { status, output, report } = await this.#runVitest(name, minutes, command);
    this.#passed += report.passed;
    this.#files.push(...report.files);
    const failed = report.files.filter((file) => file.failed.length > 0);
    this.#failedFiles.push(...failed.map((file) => ({ ...file, command })));
    // A process that died has left no report of its file, and no repeat of another makes up for it.
    const isExplained = failed.length > 0 && !/Vitest caught \d+ unhandled/.test(output);
    if (status !== 0) this.#fail(name, status, output, isExplained ? 0 : 1);
  }

  /** Runs the files that failed once more, each by itself; with more than three of them, none. */
  async repeatFailedFiles() {
    const isFew = new Set(this.#failedFiles.map(({ file }) => file)).size <= MAX_REPEATED_FILES;
    for (const { path, file, failed, command } of this.#failedFiles) {
      const again = isFew ? await this.#runVitest(`again: ${file}`, 10, [...command, path]) : undefined;
      if (again?.status === 0 && again.report.passed > 0) {
        this.#passed += failed.length;
        this.#flaky.push(...failed.map((test) => `flaky: ${file}: ${test}`));
      } else {
        this.#failed += failed.length;
        this.#recalled.push(...failed.map((test) => `failed: ${file}: ${test}`));
      }
    }
  }

  /** Prints the end; returns whether something passed and nothing failed. */
  finish() {
    rmSync(this.#folder, { recursive: true });
    const slowest = this.#files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
    console.log('the slowest files, in seconds:');
    for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)}  ${file}`);
    for (const line of [...this.#recalled, ...this.#flaky]) console.log(line);
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    return this.#failed === 0 && this.#passed > 0;
  }

  /** Repeats at the end what a suite that failed said, without colours, where a reader of the tail finds it. */
  #fail(name, status, output, count = 1) {
    this.#failed += count;
    const lines = output.split('\n').map((line) => line.slice(0, 300));
    const said = lines.filter((line) => FAILURE_LINE.test(line)).slice(-20);
    this.#recalled.push(`${name} ended with ${status}. It said:`, ...said, 'and last:', ...lines.slice(-20));
  }

  async #runVitest(name, minutes, command) {
    const path = join(this.#folder, 'report.json');
    rmSync(path, { force: true });
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
    const ended = await this.#run(name, minutes, [...command, ...reporters]);
    return { ...ended, report: readVitestReport(path) };
  }

  /** Runs a command, killed after so many minutes, and shows and keeps its output. */
  async #run(name, minutes, command) {
    console.log(`suite: ${name}`);
    const begun = performance.now();
    const child = spawn('timeout', ['--kill-after=30', `${minutes}m`, ...command], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        chunks.push(chunk);
        process.stdout.write(chunk);
      });
    const status = await new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, signal) => resolve(code ?? signal));
    });
    console.log(`suite: ${name}: exit ${status}, ${Math.round((performance.now() - begun) / 1_000)} s`);
    return { status, output: stripVTControlCharacters(Buffer.concat(chunks).toString()) };
  }
}
