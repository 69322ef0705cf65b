// `npm run e2e:browser`: the official MCP client and plain REST calls from pages in Chromium, which is installed if it is not there.
// Arguments go to vitest.
import { ensureChromium } from './ensure-chromium.mjs';
import { ensureNodeAndPackages } from './ensure-node-and-packages.mjs';
import { runCommandOrExit } from './run-command-or-exit.mjs';

ensureNodeAndPackages();
process.env.CHROMIUM_PATH = ensureChromium();
runCommandOrExit('npx', [
  'vitest',
  'run',
  '--config',
  'infra/vitest.browser.config.ts',
  ...process.argv.slice(2),
]);
