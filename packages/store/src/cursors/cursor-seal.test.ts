import fc from 'fast-check';
import { BatonError } from '@baton/protocol';
import { randomSeed } from '@baton/protocol/testing/random-seed';
import { expect, test } from 'vitest';
import { CursorSeal } from './cursor-seal.ts';
import type { Identity } from '../identity/identity.ts';
import { Seal } from '../secrets/seal.ts';
import { AGENT, ANN, BOB } from '../testing/test-tenant.ts';

const sealOf = (purpose: string, ...secrets: string[]) =>
  new CursorSeal(new Seal(secrets.length > 0 ? secrets : ['a secret'], purpose));
const acme = sealOf('cursors of acme');

/** How a cursor is taken: as a position, or refused as what Baton never gave out. */
function opened(open: () => string): string {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof BatonError) || error.code !== 'invalid_arguments') throw error;
    expect(error.details).toEqual({ field: 'cursor' });
    expect(error.message).toMatch(/^cursor: '.*' is not one that Baton gave out/s);
    return 'refused';
  }
}

test('a position comes back from its cursor on any replica, whatever it holds', () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 300 }).map((text) => text.toWellFormed());
  fc.assert(
    fc.property(anyText, anyText, (position, operation) => {
      const cursor = acme.of('tasks', ANN, { operation }).seal(position);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(sealOf('cursors of acme').of('tasks', ANN, { operation }).open(cursor)).toBe(position);
    }),
    { seed: randomSeed, numRuns: 300 },
  );
});

test('a cursor shows nothing of its position, nor of its length', () => {
  const cursors = acme.of('pending', ANN);
  const one = cursors.seal('1763891657123 AbCdEfGhIjKlMnOpQrS.1|');
  const other = cursors.seal('1763891657123 AbCdEfGhIjKlMnOpQrS.65535|');
  expect(one).toHaveLength(other.length);
  expect(cursors.seal('1'), 'no two are equal').not.toBe(cursors.seal('1'));
  for (const cursor of [one, other])
    expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/1763|AbCd|ann|pending/);
  expect(other.length, 'REST and the tools take 500 characters').toBeLessThan(250);
});

test('a cursor is refused for every other tenant, caller, list and filter', () => {
  const filters = { status: 'answered', operation: undefined };
  const cursor = acme.of('history', ANN, filters).seal('here');
  const given = (
    seal: CursorSeal,
    list: string,
    identity: Identity,
    more: Record<string, string | undefined>,
  ) => opened(() => seal.of(list, identity, more).open(cursor));
  expect(given(acme, 'history', ANN, { status: 'answered' })).toBe('here');
  expect(given(acme, 'history', ANN, { role: undefined, ...filters }), 'no filter is no filter').toBe('here');
  expect(given(sealOf('cursors of other'), 'history', ANN, filters)).toBe('refused');
  expect(given(sealOf('session'), 'history', ANN, filters)).toBe('refused');
  for (const identity of [BOB, AGENT, { ...ANN, scopes: AGENT.scopes }])
    expect(given(acme, 'history', identity, filters)).toBe('refused');
  expect(given(acme, 'pending', ANN, filters)).toBe('refused');
  expect(given(acme, 'history', ANN, {})).toBe('refused');
  expect(given(acme, 'history', ANN, { status: 'expired' })).toBe('refused');
  expect(given(acme, 'history', ANN, { ...filters, operation: 'x' })).toBe('refused');
  expect(given(acme, 'history', ANN, { operation: 'answered' })).toBe('refused');
});

test('callers who see everything of the tenant may use the cursors of each other', () => {
  const cursor = acme.of('pending', AGENT).seal('here');
  expect(acme.of('pending', { ...AGENT, principal: 'agent-8' }).open(cursor)).toBe('here');
});

test('a cursor that was changed anywhere is refused, as is any other text', () => {
  const cursors = acme.of('tasks', ANN);
  const cursor = cursors.seal('1763891657123 AbCdEfGhIjKlMnOpQrS|');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let at = 0; at < cursor.length; at++) {
    const next = alphabet[(alphabet.indexOf(cursor[at]!) + 1) % 64];
    const changed = cursor.slice(0, at) + next + cursor.slice(at + 1);
    expect([at, opened(() => cursors.open(changed))]).toEqual([at, 'refused']);
  }
  const others = [
    '',
    'x',
    '%%%',
    cursor.slice(1),
    cursor.slice(0, -1),
    `${cursor}=`,
    `${cursor}A`,
    ` ${cursor}`,
  ];
  for (const text of others) expect([text, opened(() => cursors.open(text))]).toEqual([text, 'refused']);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      expect(opened(() => cursors.open(text))).toBe('refused');
    }),
    { seed: randomSeed },
  );
});

test('with several keys the first seals and each opens, so that a secret can be changed', () => {
  const old = sealOf('cursors', 'old');
  const both = sealOf('cursors', 'new', 'old');
  expect(both.of('tasks', ANN).open(old.of('tasks', ANN).seal('here'))).toBe('here');
  expect(sealOf('cursors', 'new').of('tasks', ANN).open(both.of('tasks', ANN).seal('here'))).toBe('here');
});
