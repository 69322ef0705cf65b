import type { Json, JsonObject } from '@baton/protocol';
import fc from 'fast-check';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { fitsPlainSchema } from './plain-schema.ts';

const query: JsonObject = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What is searched' }, most: { type: 'integer' } },
  required: ['query'],
};

test('arguments of a usual tool need no thread where they fit, and where they do not, it is never said that they do', () => {
  expect(fitsPlainSchema(query, { query: 'harbour', most: 3 })).toBe(true);
  expect(fitsPlainSchema(query, { query: 'harbour', other: [] })).toBe(true);
  expect(fitsPlainSchema({ ...query, additionalProperties: false }, { query: 'harbour', other: 1 })).toBe(
    false,
  );
  expect(fitsPlainSchema(query, { query: 'harbour', most: 1.5 })).toBe(false);
  expect(fitsPlainSchema(query, {})).toBe(false);
  const list: JsonObject = { type: 'array', items: query };
  expect(fitsPlainSchema(list, [{ query: 'a' }, { query: 'b' }])).toBe(true);
  expect(fitsPlainSchema(list, [{ query: 'a' }, {}])).toBe(false);
});

test.each<[string, JsonObject]>([
  ['a pattern', { type: 'string', pattern: '^(a+)+$' }],
  ['a reference', { $ref: '#' }],
  ['a draft', { $schema: 'https://example.org/s', type: 'string' }],
  ['a broken list of required fields', { type: 'object', required: 'a' }],
  ['the same field required twice', { type: 'object', required: ['a', 'a'] }],
  ['an unknown type', { type: 'nonsense' }],
  ['no value that could fit', { enum: [] }],
  ['a broken part that the value lacks', { type: 'object', properties: { b: { type: 'nonsense' } } }],
])('a schema with %s is left to a thread', (_what, schema) => {
  expect(fitsPlainSchema(schema, 'a')).toBe(false);
  expect(fitsPlainSchema(schema, { a: 1 })).toBe(false);
  expect(fitsPlainSchema({ type: 'array', items: schema }, [])).toBe(false);
});

test('values and schemas of many parts are left to a thread', () => {
  const items: JsonObject = { type: 'array', items: { type: 'integer' } };
  const fewest = Array.from({ length: 100 }, (_, n) => n);
  expect(fitsPlainSchema(items, fewest)).toBe(true);
  const many = Array.from({ length: 1_000_000 }, (_, n) => n);
  const wide = Object.fromEntries(many.slice(0, 100_000).map((n) => [`f${n}`, n]));
  expect(fitsPlainSchema(items, many)).toBe(false);
  expect(fitsPlainSchema({ type: 'object' }, wide)).toBe(false);
  let deep: JsonObject = { type: 'null' };
  let value: Json = null;
  for (let n = 0; n < 5_000; n++) [deep, value] = [{ type: 'array', items: deep }, [value]];
  expect(fitsPlainSchema(deep, value)).toBe(false);
});

test('what fits a plain schema fits it by ajv, whatever the schema and the value', () => {
  const names = fc.constantFrom('a', 'b', 'toString', 'constructor');
  const leaf = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null');
  const enumeration = fc.uniqueArray(fc.constantFrom('a', 1, true, null), { minLength: 1, maxLength: 3 });
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record({ type: leaf, title: fc.constant('t') }, { requiredKeys: ['type'] }),
      fc.record({ type: leaf, enum: enumeration, minLength: fc.constant(2) }, { requiredKeys: ['enum'] }),
      fc.record({ type: fc.constant('array'), items: tie('schema') }, { requiredKeys: ['type'] }),
      fc.record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
          required: fc.uniqueArray(names, { maxLength: 2 }),
          additionalProperties: fc.boolean(),
        },
        { requiredKeys: ['type'] },
      ),
    ) as fc.Arbitrary<JsonObject>,
  }));
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      fc.constantFrom<Json>('a', 'bc', 1, 1.5, -0, true, null),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ) as fc.Arbitrary<Json>,
  }));
  const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);
  let fitting = 0;
  fc.assert(
    fc.property(schema, value, (one, other) => {
      if (!fitsPlainSchema(one, other)) return;
      fitting++;
      const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true });
      expect(ajv.validate(one, other), JSON.stringify([one, other])).toBe(true);
    }),
    { seed, numRuns: 600 },
  );
  expect(fitting, `seed ${seed}`).toBeGreaterThan(20);
});
