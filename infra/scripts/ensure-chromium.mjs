import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const DEBIAN = '/usr/bin/chromium';

/**
 * The path of a Chromium: `CHROMIUM_PATH`, or Debian's, which is installed where that can be done without a question. Otherwise the
 * process exits with 78 and the line to type.
 */
export function ensureChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && existsSync(named)) return named;
  if (named !== undefined) exit(`CHROMIUM_PATH=${named}: there is no such file`);
  if (existsSync(DEBIAN)) return DEBIAN;
  if (process.getuid?.() !== 0)
    exit('no Chromium: type `sudo apt-get install chromium`, or set CHROMIUM_PATH');
  console.error('baton: installing chromium (once)');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', 'chromium'],
  ]) {
    const { status, error } = spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0)
      exit(`\`apt-get ${args.join(' ')}\` failed (${error?.message ?? `exit ${status}`}); set CHROMIUM_PATH`);
  }
  return DEBIAN;
}

function exit(problem) {
  console.error(`baton: ${problem}`);
  process.exit(78);
}
