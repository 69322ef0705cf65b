import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Entry, formatEntry, parseEntry } from './journal.ts';
import { randomSeed } from '@baton/protocol/testing/random-seed';

test.each<[string, Entry, string]>([
  ['a value', { kind: 'llm', ok: true, value: { n: 1 } }, 'llm+{"n":1}'],
  [
    'an error',
    { kind: 'commit', ok: false, error: { code: 'x', message: 'y' } },
    'commit-{"code":"x","message":"y"}',
  ],
  ['nothing', { kind: 'sleep', ok: true, value: null }, 'sleep+null'],
  ['text that looks like another entry', { kind: 'read', ok: true, value: 'llm-{}' }, 'read+"llm-{}"'],
  ['a branch', { kind: 'branch', ok: true, value: [] }, 'branch+[]'],
])('%s is its kind, a sign and JSON, and comes back as it was', (_claim, entry, text) => {
  expect(formatEntry(entry)).toBe(text);
  expect(parseEntry(text)).toEqual(entry);
});

test('an outcome that is undefined is recorded as null, never as no JSON at all', () => {
  expect(parseEntry(formatEntry({ kind: 'read', ok: true, value: undefined }))).toEqual({
    kind: 'read',
    ok: true,
    value: null,
  });
});

test('any JSON comes back as it was', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const entry: Entry = { kind: 'llm', ok: true, value: JSON.parse(text) };
      expect(parseEntry(`llm+${text}`)).toEqual(entry);
      expect(formatEntry(parseEntry(formatEntry(entry)))).toBe(formatEntry(entry));
    }),
    { seed: randomSeed },
  );
});

test.each(['', '{}', 'llm', 'LLM+1', 'llm*1', '+1', 'llm+', 'llm+{'])(
  '%j is refused, never read as something',
  (text) => {
    expect(() => parseEntry(text)).toThrow();
  },
);
