// Exit handlers, which stop child processes, run only on process.exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

let passed = 0;
let failed = 0;

/** Prints one check of a suite with the evidence against it, shortened. True when there is none. */
export function reportCheck(what: string, against: readonly string[]): boolean {
  const holds = against.length === 0;
  if (holds) passed++;
  else failed++;
  console.log(`${holds ? 'pass' : 'FAIL'}  ${what}`);
  for (const evidence of against.slice(0, 10)) console.log(`      ${evidence.slice(0, 700)}`);
  if (against.length > 10) console.log(`      and ${against.length - 10} more`);
  return holds;
}

/** Prints `N passed, N failed` and exits: with 0 when at least one check was reported and all passed. */
export function printCountsAndExit(): never {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
