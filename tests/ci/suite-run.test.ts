import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const SUITE_RUN = pathToFileURL(join(ROOT, 'infra/scripts/suites/suite-run.mjs')).href;
const VITEST = join(ROOT, 'node_modules/.bin/vitest');

const PASSES = "test('passes', () => {});";
const FAILS = "test('passes', () => {}); test('fails', () => { throw new Error('wrong'); });";
/** Fails unless a run before it has left its mark. */
const FAILS_ONCE = `
import { existsSync, writeFileSync } from 'node:fs';
const mark = new URL('./mark', import.meta.url);
test('fails once', () => {
  const isAgain = existsSync(mark);
  writeFileSync(mark, '');
  if (!isAgain) throw new Error('wrong');
});`;

/** Runs files of tests as a suite of vitest, with files that failed run again; what it prints last, and whether it passed. */
async function runFiles(files: Record<string, string>): Promise<{ last: string[]; passed: boolean }> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-suite-run-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.test.mjs`), text);
  return runSuites(`
    await suites.vitest('files', 1, ['${VITEST}', 'run', '--globals', '--root', '${folder}']);
    await suites.repeatFailedFiles();`);
}

async function runSuites(steps: string): Promise<{ last: string[]; passed: boolean }> {
  const script = `
    import { SuiteRun } from '${SUITE_RUN}';
    const suites = new SuiteRun();
    ${steps}
    process.exit(suites.finish() ? 0 : 1);`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const { stdout, code } = await run.then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error: { stdout: string; code: number }) => error,
  );
  return { last: stdout.trimEnd().split('\n').slice(-8), passed: code === 0 };
}

test('a file that failed passes when it passes by itself, and its tests are named flaky', async () => {
  const { last, passed } = await runFiles({ first: PASSES, second: FAILS_ONCE });
  expect(passed).toBe(true);
  expect(last.at(-1)).toBe('2 passed, 0 failed');
  expect(last.at(-2)).toMatch(/^flaky: .*second\.test\.mjs: fails once$/);
});

test('a file that fails again fails the run', async () => {
  const { last, passed } = await runFiles({ first: PASSES, second: FAILS });
  expect(passed).toBe(false);
  expect(last.at(-1)).toBe('2 passed, 1 failed');
  expect(last.at(-2)).toMatch(/^failed: .*second\.test\.mjs: fails$/);
});

test('of more than three files that failed none is run again', async () => {
  const names = ['one', 'two', 'three'];
  const files = Object.fromEntries(names.map((name) => [name, FAILS]));
  const { last, passed } = await runFiles({ ...files, four: FAILS_ONCE });
  expect(passed).toBe(false);
  expect(last.at(-1)).toBe('3 passed, 4 failed');
});

test('a file that cannot be loaded, and a suite that ends without its counts, have failed', async () => {
  const { last } = await runFiles({ first: PASSES, second: "import './nothing.mjs';" });
  expect(last.at(-1)).toBe('1 passed, 1 failed');
  const counted = await runSuites(`
    await suites.counted('counts', 1, ['sh', '-c', 'echo 3 passed, 0 failed']);
    await suites.counted('dies', 1, ['sh', '-c', 'exit 7']);`);
  expect(counted).toMatchObject({ passed: false });
  expect(counted.last.at(-1)).toBe('3 passed, 1 failed');
});

test('a file whose process dies fails the run, whatever becomes of others', async () => {
  const dies = "test('dies', () => process.kill(process.pid, 'SIGKILL'));";
  const { last, passed } = await runFiles({ first: dies, second: FAILS_ONCE });
  expect(passed).toBe(false);
  expect(last.at(-1)).toBe('1 passed, 1 failed');
});
