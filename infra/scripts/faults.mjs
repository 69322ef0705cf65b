// `npm run faults`: builds the product and the suite, and runs the seeded faults and the mutations on a copy of the
// product, then the single scenarios. Options: --seed N, --seeds N, --tasks N,
// --conversations N, --only schedule|mutations|conversations|scenarios, --short (one seed of each, no mutations, and the
// scenarios that measure no time).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from './build.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';

ensureNodeAndPackages();
const isShort = process.argv.includes('--short');
const given = process.argv.slice(2).filter((argument) => argument !== '--short');
if (isShort) given.push('--seeds', '1', '--conversations', '1', '--without-mutations');
const only = given.includes('--only') ? given[given.indexOf('--only') + 1] : undefined;
const built = join(REPOSITORY_ROOT, 'dist/faults/baton');
let passed = 0;
let failed = 0;

/** Runs a part with this terminal, all but its last line, which counts; a part that ends without one has failed. */
async function runPart(name, args) {
  const child = spawn(process.execPath, [join(REPOSITORY_ROOT, `dist/faults/${name}/main.js`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let counts;
  for await (const line of createInterface({ input: child.stdout })) {
    counts = /^(\d+) passed, (\d+) failed$/.exec(line);
    if (!counts) console.log(line);
  }
  passed += Number(counts?.[1] ?? 0);
  failed += Number(counts?.[2] ?? 1);
}

await bundle('dist/faults/baton', { baton: 'apps/cli/src/main.ts' });
if (only !== 'scenarios') {
  await bundle('dist/faults/suite', { main: 'tests/faults/main.ts' });
  await runPart('suite', [...given, '--built', built, '--modules', join(REPOSITORY_ROOT, 'node_modules')]);
}
if (existsSync(join(REPOSITORY_ROOT, 'tests/faults/scenarios/main.ts')) && (!only || only === 'scenarios')) {
  await bundle('dist/faults/scenarios', { main: 'tests/faults/scenarios/main.ts' });
  await runPart('scenarios', ['--built', built, ...(isShort ? ['--short'] : [])]);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
