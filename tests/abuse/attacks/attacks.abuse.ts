import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PatchedRelease } from '../../processes/patched-release.ts';
import { gainsOf } from '../target/gains-of.ts';
import { ATTACKS } from './index.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const BUILT = inRepository('dist');

test.each(ATTACKS)('$name gains nothing', async (attack) => {
  expect(await gainsOf(attack, `${BUILT}/baton.js`)).toEqual([]);
});

/** The attacks without their guards run with the soak. */
test('the release has each guard that an attack can take away', async () => {
  const missing: string[] = [];
  for (const { name, withoutGuard } of ATTACKS)
    await PatchedRelease.create(BUILT, inRepository('node_modules'), withoutGuard).then(
      (release) => release.remove(),
      (error: Error) => missing.push(`${name}: ${error.message}`),
    );
  expect(missing).toEqual([]);
});
