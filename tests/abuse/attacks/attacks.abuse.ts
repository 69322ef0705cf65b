import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { gainsOf } from '../target/gains-of.ts';
import { ATTACKS } from './index.ts';

const ENTRY = fileURLToPath(new URL('../../../dist/baton.js', import.meta.url));

test.each(ATTACKS)('$name gains nothing', async (attack) => {
  expect(await gainsOf(attack, ENTRY)).toEqual([]);
});
