// An end by a signal is an end like any other: what runs is ended with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let passed = 0;
let failed = 0;

/** Prints a claim of a suite and what speaks against it, if anything, shortened. True when nothing does. */
export function reportClaim(claim: string, against: readonly string[]): boolean {
  const holds = against.length === 0;
  if (holds) passed++;
  else failed++;
  console.log(`${holds ? 'pass' : 'FAIL'}  ${claim}`);
  for (const what of against.slice(0, 10)) console.log(`      ${what.slice(0, 700)}`);
  if (against.length > 10) console.log(`      and ${against.length - 10} more`);
  return holds;
}

/** The last line, which counts, and the end of the process: 0 when something was claimed and all of it held. */
export function exitWithCounts(): never {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
