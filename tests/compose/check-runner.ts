/** `npm run e2e:compose -- redis` runs only the checks that contain `redis`; `--short`, those without kills and load. */
export const isShort = process.argv.includes('--short');
const [only = ''] = process.argv.slice(2).filter((argument) => argument !== '--short');

let passed = 0;
let failed = 0;

/** Runs one check and prints one line; a failed check does not stop the run. `always` ignores the filter. */
export async function runCheck(text: string, hold: () => Promise<string>, always = false): Promise<void> {
  if (!always && !text.toLowerCase().includes(only.toLowerCase())) return;
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  try {
    console.log(`ok      ${text}: ${await hold()} [${seconds()}]`);
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAILED  ${text} [${seconds()}]\n${error instanceof Error ? error.stack : String(error)}`);
  }
}

export const anyCheckFailed = () => failed > 0;

/** Prints the counts as the last line. True when at least one check ran and all passed. */
export function printCounts(): boolean {
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}
