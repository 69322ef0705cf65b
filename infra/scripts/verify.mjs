// `npm run verify`: everything that must hold before a change lands. With `-- --without-tests`, of the
// tests only the claims about the tree itself run.
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

const STEPS = [
  ['format', ['npx', 'biome', 'format', '.']],
  ['types', ['npx', 'tsc', '--noEmit']],
  ['types of the console', ['npx', 'tsc', '--noEmit', '-p', 'apps/console']],
  ['lint', ['npx', 'oxlint', '--type-aware', '--deny-warnings', 'apps', 'packages', 'tests']],
  ['dead code', ['npx', 'knip']],
  ['audit', ['node', 'infra/scripts/audit.mjs']],
  ['tests', ['node', 'infra/scripts/test.mjs']],
  ['build', ['node', 'infra/scripts/build.mjs']],
];

ensureNodeAndPackages();
for (const [name, [command, ...args]] of STEPS) {
  const treeOnly = name === 'tests' && process.argv.includes('--without-tests');
  console.error(`verify: ${name}`);
  runCommandOrExit(command, treeOnly ? [...args, 'tests/structure'] : args);
}
console.error('verify: all of it holds');
