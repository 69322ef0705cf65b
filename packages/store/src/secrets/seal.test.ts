import fc from 'fast-check';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import { expect, test } from 'vitest';
import { Seal } from './seal.ts';

const seal = new Seal(['older'], 'session');
const open = (by: Seal, text: string, binding = 'x') => by.open(text, binding)?.text;

test('what was sealed with the older secret opens while that is still known, and new seals are of the newer', () => {
  const after = new Seal(['newer', 'older'], 'session');
  const sealed = seal.seal('a text', 'x');
  expect(after.open(sealed, 'x')).toEqual({ text: 'a text', isCurrent: false });
  const fresh = after.seal('another', 'x');
  expect(open(seal, fresh)).toBeUndefined();
  expect(new Seal(['newer'], 'session').open(fresh, 'x')).toEqual({ text: 'another', isCurrent: true });
  expect(open(new Seal(['newer'], 'session'), sealed)).toBeUndefined();
});

test('any text comes back, for the same purpose and binding only', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 }).map((one) => one.toWellFormed());
  fc.assert(
    fc.property(text, text, (one, binding) => {
      const sealed = seal.seal(one, binding);
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(open(new Seal(['older'], 'session'), sealed, binding)).toBe(one);
      expect(open(seal, sealed, `${binding}x`)).toBeUndefined();
      expect(open(new Seal(['older'], 'cursors'), sealed, binding)).toBeUndefined();
    }),
    { seed: randomSeed, numRuns: 200 },
  );
});

test('no character of a seal can be changed, left out or added', () => {
  const sealed = seal.seal('{"principal":"ann"}', 'x');
  const changed = [...sealed].map(
    (was, at) => sealed.slice(0, at) + (was === 'A' ? 'B' : 'A') + sealed.slice(at + 1),
  );
  const others = [`${sealed}A`, `${sealed}=`, ` ${sealed}`, sealed.slice(1), `A${sealed}`, '', 'x', '%%%'];
  for (const one of [...changed, ...others]) expect([one, open(seal, one)]).toEqual([one, undefined]);
});

test('two seals of one text are not alike', () => {
  expect(seal.seal('x', 'x')).not.toBe(seal.seal('x', 'x'));
});
