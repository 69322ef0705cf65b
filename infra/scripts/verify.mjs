// `npm run verify`: everything that must hold before a change lands. `-- --without-tests` leaves out the tests.
import { installPackages } from './install-packages.mjs';
import { runCommand } from './run-command.mjs';

const STEPS = [
  ['format', ['npx', 'biome', 'format', '.']],
  ['types', ['npx', 'tsc', '--noEmit']],
  ['lint', ['npx', 'oxlint', '--type-aware', '--deny-warnings', 'apps', 'packages', 'tests']],
  ['dead code', ['npx', 'knip']],
  ['audit', ['node', 'infra/scripts/audit.mjs']],
  ['tests', ['node', 'infra/scripts/test.mjs']],
  ['build', ['node', 'infra/scripts/build.mjs']],
];

installPackages();
for (const [name, [command, ...args]] of STEPS) {
  if (name === 'tests' && process.argv.includes('--without-tests')) continue;
  console.error(`verify: ${name}`);
  runCommand(command, args);
}
console.error('verify: all of it holds');
