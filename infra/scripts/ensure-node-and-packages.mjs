// What a fresh clone needs before anything else: a Node that Baton runs on, and its packages. Plain Node, since
// nothing is installed yet.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommandOrExit } from './run-command-or-exit.mjs';

export const REPOSITORY_ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FLOOR = [20, 19];

/** Installs the packages of the lock file, unless the last install was of this very one. Exits with 78 on an older Node. */
export function ensureNodeAndPackages() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < FLOOR[0] || (major === FLOOR[0] && minor < FLOOR[1])) {
    console.error(`Baton needs Node ${FLOOR.join('.')} or later; this is ${process.version}.`);
    process.exit(78);
  }
  process.chdir(REPOSITORY_ROOT);
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  const mark = 'node_modules/.baton-installed';
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  console.error('baton: installing packages (once)');
  // Not `npm ci`: it wants every platform's binaries in the lock file, and registries need not have them all.
  runCommandOrExit('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(mark, lock);
}
