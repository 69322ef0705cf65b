import { expect, test } from 'vitest';
import { toHostSchema } from './host-schema.ts';

const shown = (property: object, root: object = {}) =>
  (toHostSchema({ properties: { a: property }, ...root })['properties'] as Record<string, unknown>)['a'];

test.each([
  [{}, { type: 'string' }],
  [{ type: ['null', 'integer'] }, { type: 'integer' }],
  [{ enum: ['a', null, ''] }, { type: 'string', enum: ['a'] }],
  [{ enum: [1, 2] }, { type: 'integer', description: 'One of 1, 2' }],
  [{ const: 'a' }, { type: 'string', enum: ['a'] }],
  [{ type: 'array' }, { type: 'array', items: { type: 'string' } }],
  [
    { type: 'array', items: true },
    { type: 'array', items: { type: 'string' } },
  ],
  [
    { type: 'array', prefixItems: [{ type: 'number' }] },
    { type: 'array', items: { type: 'number' } },
  ],
  [{ anyOf: [{ type: 'null' }, { type: 'string', maxLength: 5 }] }, { type: 'string', maxLength: 5 }],
  [
    { oneOf: [{ const: 'a' }, { const: 'b' }], description: 'D' },
    { type: 'string', description: 'D', enum: ['a', 'b'] },
  ],
  [{ not: { type: 'string' } }, { type: 'string' }],
  [{ type: 'string', format: 'email', pattern: '^(?=x)' }, { type: 'string' }],
  [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'object' }],
])('%j is shown as %j', (property, as) => expect(shown(property)).toEqual(as));

test('a field that tells alternatives apart has the values of all, and what all of them need stays needed', () => {
  const property = {
    oneOf: [
      { properties: { kind: { const: 'a' }, x: { type: 'string' } }, required: ['kind', 'x'] },
      { properties: { kind: { const: 'b' }, y: { type: 'number' } }, required: ['kind', 'y'] },
    ],
  };
  expect(shown(property)).toEqual({
    type: 'object',
    properties: { kind: { type: 'string', enum: ['a', 'b'] }, x: { type: 'string' }, y: { type: 'number' } },
    required: ['kind'],
  });
});

test('references are followed, also at the top, and one to itself ends', () => {
  const $defs = { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } };
  const text = JSON.stringify(toHostSchema({ $ref: '#/$defs/node', $defs }));
  expect(text).not.toMatch(/\$ref|\$defs|\{\}/);
  expect(JSON.stringify(shown({ $ref: '#/properties/a' }))).toBe('{"type":"string"}');
});

test('a required property whose name no API takes is told in words', () => {
  const schema = {
    properties: { größe: { type: 'number' }, b: { type: 'string' } },
    required: ['größe', 'b'],
  };
  expect(toHostSchema(schema)).toEqual({
    type: 'object',
    description: 'Needs "größe" too',
    properties: { b: { type: 'string' } },
    required: ['b'],
  });
});

test('references that fan out never make a schema that is much larger than what was given', () => {
  const properties = Object.fromEntries([...'abcdefghijklmnopqrst'].map((name) => [name, { $ref: '#' }]));
  const anyOf = [...'abcdefghij'].map(() => ({ $ref: '#' }));
  for (const schema of [{ properties }, { properties, anyOf }])
    expect(JSON.stringify(toHostSchema(schema)).length).toBeLessThan(200_000);
});
