#!/usr/bin/env node
// `npx baton`: the built command. `npm start` builds what is stale by itself; by hand it is `npm run build`.
import { existsSync } from 'node:fs';

const built = new URL('../../../dist/baton.js', import.meta.url);
if (existsSync(built)) {
  await import(built.href);
} else {
  console.error('baton is not built yet. Type: npm run build');
  process.exitCode = 78;
}
