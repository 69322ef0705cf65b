// `npm run e2e:browser`: the console, the official MCP client and plain REST calls from pages in Chromium, which is installed if it is
// not there.
// Arguments go to vitest.
import { join } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { ensureChromium } from './ensure-chromium.mjs';
import { ensureNodeAndPackages, REPOSITORY_ROOT } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
await buildConsole(join(REPOSITORY_ROOT, 'dist/console'));
process.env.CHROMIUM_PATH = ensureChromium();
runCommandOrExit('npx', [
  'vitest',
  'run',
  '--config',
  'infra/vitest.browser.config.ts',
  ...process.argv.slice(2),
]);
