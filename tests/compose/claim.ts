/** `npm run e2e:compose -- redis` runs the claims that speak of Redis. */
const [only = ''] = process.argv.slice(2);

let passed = 0;
let failed = 0;

/** One line for one claim: what holds, with what was seen, or how it failed. A failed claim does not end the run. */
export async function checkClaim(text: string, hold: () => Promise<string>, always = false): Promise<void> {
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

export const anyFailed = () => failed > 0;

/** The last line. True when something was claimed and all of it held. */
export function printCounts(): boolean {
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}
