// `npm run audit`: known vulnerabilities of what a deployment installs, by the lock file. Where the registry does not
// answer such questions, it says so and passes: a build without network is no finding.
import { spawnSync } from 'node:child_process';
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';

ensureNodeAndPackages();
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--loglevel=silent'], {
  encoding: 'utf8',
  timeout: 120_000,
});
const { vulnerabilities, error, message } = parse(stdout);
if (vulnerabilities === undefined) {
  console.error(
    `audit: not done, the registry gave no answer: ${error?.summary ?? message ?? 'none at all'}`,
  );
  process.exit(0);
}
const serious = Object.values(vulnerabilities).filter(({ severity }) => /high|critical/.test(severity));
for (const { name, severity, range } of serious) console.error(`audit: ${name} ${range}: ${severity}`);
console.error(`audit: ${serious.length} of high or critical severity`);
process.exit(serious.length === 0 ? 0 : 1);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
