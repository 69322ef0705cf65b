import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatApiKey, keyInputSchema, parseApiKey } from './api-key.ts';
import { randomSeed } from './testing/random-seed.ts';

const letters = (length: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${length}}$`));
const tenant = fc.stringMatching(/^[a-z0-9-]{1,63}$/);
const key = fc.tuple(tenant, letters(12), letters(32)).map(([tenant, id, secret]) => ({
  tenant,
  id,
  text: formatApiKey(tenant, id, secret),
}));

describe('a key', () => {
  test('gives back its tenant, its id and itself', () => {
    fc.assert(
      fc.property(key, ({ tenant, id, text }) => {
        expect(parseApiKey(text)).toEqual({ tenant, id, text });
      }),
      { seed: randomSeed },
    );
  });

  test('ends in a checksum that never changes between releases', () => {
    expect(formatApiKey('acme', 'AbCdEfGhIjKl', '0123456789abcdefghijklmnopqrstuv')).toBe(
      'bt_acme_AbCdEfGhIjKl_0123456789abcdefghijklmnopqrstuv2f6acc07',
    );
  });

  test('ends in the CRC-32 of zlib, leading zeros kept', () => {
    fc.assert(
      fc.property(key, ({ text }) => {
        expect(text.slice(-8)).toBe(zlib.crc32(text.slice(0, -8)).toString(16).padStart(8, '0'));
      }),
      { seed: randomSeed, numRuns: 1_000 },
    );
  });

  test('is refused after any change of one character', () => {
    const anyCharacter = fc.oneof(letters(1), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(key, fc.nat(), anyCharacter, ({ text }, place, other) => {
        const at = place % text.length;
        fc.pre(text[at] !== other);
        expect(parseApiKey(text.slice(0, at) + other + text.slice(at + 1))).toBeUndefined();
      }),
      { seed: randomSeed, numRuns: 2_000 },
    );
  });

  test('is refused with any character more or less', () => {
    fc.assert(
      fc.property(key, fc.nat(), letters(1), ({ text }, place, more) => {
        const at = place % text.length;
        expect(parseApiKey(text.slice(0, at) + text.slice(at + 1))).toBeUndefined();
        expect(parseApiKey(text.slice(0, at) + more + text.slice(at))).toBeUndefined();
      }),
      { seed: randomSeed, numRuns: 1_000 },
    );
  });

  const good = formatApiKey('acme', 'AbCdEfGhIjKl', '0123456789abcdefghijklmnopqrstuv');
  test.each<[string, string]>([
    ['nothing', ''],
    ['a line break at its end', `${good}\n`],
    ['a space before', ` ${good}`],
    ['Bearer before', `Bearer ${good}`],
    ['a checksum in capitals', good.slice(0, -8) + good.slice(-8).toUpperCase()],
    ['a tenant that is none', formatApiKey('Acme', 'AbCdEfGhIjKl', '0123456789abcdefghijklmnopqrstuv')],
    ['no tenant', formatApiKey('', 'AbCdEfGhIjKl', '0123456789abcdefghijklmnopqrstuv')],
    ['a tenant of another key', good.replace('acme', 'evil')],
    ['two keys', good + good],
    ['a megabyte', `bt_${'a'.repeat(2 ** 20)}`],
  ])('with %s is refused', (_claim, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });
});

describe('what makes a key', () => {
  test('gets the scope mcp alone when it names none', () => {
    expect(keyInputSchema.parse({ name: 'n' }).scopes).toEqual(['mcp']);
  });

  test.each<[string, object, string]>([
    ['no name', {}, 'name'],
    ['an unknown scope', { name: 'n', scopes: ['root'] }, 'scopes.0'],
    ['no scope at all', { name: 'n', scopes: [] }, 'scopes'],
    ['a principal with a space', { name: 'n', principal: 'a b' }, 'principal'],
    ['an end that is no time', { name: 'n', expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an unknown field', { name: 'n', tenant: 'other' }, ''],
  ])('with %s is refused, naming the field', (_claim, given, field) => {
    expect(keyInputSchema.safeParse(given).error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
  });
});
