import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PatchedRelease } from '../../processes/patched-release.ts';
import { gainsOf } from '../target/gains-of.ts';
import { ATTACKS } from './index.ts';

const BUILT = fileURLToPath(new URL('../../../dist', import.meta.url));
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

test.each(ATTACKS)('$name gains something without its guard', async (attack) => {
  const release = await PatchedRelease.create(BUILT, NODE_MODULES, attack.withoutGuard);
  try {
    expect(await gainsOf(attack, release.entry)).not.toEqual([]);
  } finally {
    await release.remove();
  }
});
