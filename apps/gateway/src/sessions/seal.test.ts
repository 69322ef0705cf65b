import { randomBytes } from 'node:crypto';
import type { SealKey } from '@baton/store';
import { expect, test } from 'vitest';
import { Seal } from './seal.ts';

const key = (id: string): SealKey => ({ id, key: new Uint8Array(randomBytes(32)) });
const older = key('older');
const newer = key('newer');

test('what was sealed under the older secret opens while that is still known, and new seals are of the newer', async () => {
  const before = new Seal([older]);
  const after = new Seal([newer, older]);
  expect(await after.open(await before.seal('a text'))).toBe('a text');
  const fresh = await after.seal('another');
  expect(await before.open(fresh)).toBeUndefined();
  expect(await new Seal([newer]).open(fresh)).toBe('another');
  expect(await new Seal([newer]).open(await before.seal('a text'))).toBeUndefined();
});

test('a key under the id of another opens nothing', async () => {
  const sealed = await new Seal([older]).seal('a text');
  expect(await new Seal([key('older')]).open(sealed)).toBeUndefined();
});

test('no character of a seal can be changed, left out or added', async () => {
  const seal = new Seal([older]);
  const sealed = await seal.seal('{"principal":"ann"}');
  expect(sealed).toMatch(/^[\x21-\x7e]+$/);
  const changed = [...sealed].map(
    (was, at) => sealed.slice(0, at) + (was === 'A' ? 'B' : 'A') + sealed.slice(at + 1),
  );
  const opened = await Promise.all(
    [...changed, `${sealed}A`, sealed.slice(1), `A${sealed}`].map((one) => seal.open(one)),
  );
  // The last character of a base64 text may hold bits that stand for nothing: then it is the same seal, never another.
  expect(new Set(opened)).toEqual(
    new Set([undefined, ...opened.filter((text) => text === '{"principal":"ann"}')]),
  );
  expect(opened.filter((text) => text !== undefined).length).toBeLessThan(5);
});

test('two seals of one text are not alike', async () => {
  const seal = new Seal([older]);
  expect(await seal.seal('x')).not.toBe(await seal.seal('x'));
});
