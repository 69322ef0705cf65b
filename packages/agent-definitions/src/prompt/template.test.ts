import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillTemplate, namesIn } from './template.ts';

test.each([
  ['Why {thing}?', { thing: 'rain' }, 'Why rain?'],
  ['{{thing}} is not {thing}', { thing: 'rain' }, '{thing} is not rain'],
  ['{"a": {"b": 1}} and { } and {1}', {}, '{"a": {"b": 1}} and { } and {1}'],
  ['{a}{b}', { a: '{b}', b: '$&' }, '{b}$&'],
  ['[{missing}]', {}, '[]'],
])('%s', (template, values, filled) => {
  expect(fillTemplate(template, values as Record<string, string>)).toBe(filled);
});

test('names are those that are filled in, each once', () => {
  expect(namesIn('{a} {{b}} {c} {a} {__proto__}')).toEqual(['a', 'c', '__proto__']);
  expect(fillTemplate('{__proto__}{constructor}', {})).toBe('');
});

test('values are never read as templates, whatever they hold', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      expect(fillTemplate('{a}|{b}', { a, b })).toBe(`${a}|${b}`);
    }),
  );
});

test('a value that stands in a template thousands of times makes no text beyond what a request may be', () => {
  const template = '{a}'.repeat(10_000);
  expect(fillTemplate(template, { a: 'x'.repeat(50) })).toHaveLength(500_000);
  expect(() => fillTemplate(template, { a: 'x'.repeat(100_000) })).toThrow(/longer than 1048576 characters/);
});
