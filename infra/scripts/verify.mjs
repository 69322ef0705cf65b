// `npm run verify`: everything that must hold before a change lands. `-- --without-tests` leaves out the tests.
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

const STEPS = [
  ['format', ['npx', 'biome', 'format', '.']],
  ['types', ['npx', 'tsc', '--noEmit']],
  ['lint', ['npx', 'oxlint', '--type-aware', '--deny-warnings', 'apps', 'packages', 'tests']],
  ['dead code', ['npx', 'knip']],
  ['audit', ['node', 'infra/scripts/audit.mjs']],
  ['tests', ['node', 'infra/scripts/test.mjs']],
  ['build', ['node', 'infra/scripts/build.mjs']],
];

ensureNodeAndPackages();
for (const [name, [command, ...args]] of STEPS) {
  if (name === 'tests' && process.argv.includes('--without-tests')) continue;
  console.error(`verify: ${name}`);
  runCommandOrExit(command, args);
}
console.error('verify: all of it holds');
