import { expect, test } from 'vitest';
import { z } from 'zod';
import { toJsonSchema } from '@baton/protocol';
import { describeZodError, toAnswerSchema } from './zod-schema.ts';

const problem = (schema: z.ZodType, value: unknown) => {
  const { error } = schema.safeParse(value);
  return error === undefined ? 'fits' : describeZodError(error);
};

test.each<[string, z.ZodType, unknown, string]>([
  [
    'the field by its path',
    z.object({ tasks: z.array(z.object({ id: z.int() })) }),
    { tasks: [{ id: 'x' }] },
    'tasks.0.id: ',
  ],
  ['the whole without a path', z.object({}), 5, 'Invalid input: expected object'],
  ['every field that is wrong', z.object({ a: z.string(), b: z.string() }), {}, '; b: '],
])('a problem names %s', (_claim, schema, value, expected) => {
  expect(problem(schema, value)).toContain(expected);
});

test('a problem lists 20 issues, then counts: never as many as there are', () => {
  const found = problem(
    z.array(z.number()),
    Array.from({ length: 25 }, () => 'x'),
  );
  expect(found.split('; ')).toHaveLength(21);
  expect(found).toMatch(/; and 5 more$/);
});

test.each<[string, z.ZodType, unknown]>([
  [
    'unknown fields',
    z.strictObject({}),
    Object.fromEntries(Array.from({ length: 9_999 }, (_, at) => [`f${at}`, 1])),
  ],
  ['long paths', z.record(z.string(), z.number()), Object.fromEntries([[`${'k'.repeat(100_000)}`, 'x']])],
])('a problem with %s is never as long as the answer', (_claim, schema, value) => {
  expect(problem(schema, value).length).toBeLessThan(5_000);
});

test('a schema is described as it is written, not as it is read: a field with a default is not required', () => {
  const schema = z.object({ n: z.number().default(1), s: z.string() });
  expect(toJsonSchema(schema)).toMatchObject({ type: 'object', required: ['s'] });
  expect(toJsonSchema(schema)).toBe(toJsonSchema(schema));
});

test.each<[string, z.ZodType, boolean]>([
  ['an object with such a field', z.object({ object: z.string() }), true],
  ['an object without', z.object({ n: z.number() }), false],
  ['no object', z.array(z.string()), false],
])('hasField of %s', (_claim, schema, expected) => {
  expect(toAnswerSchema(schema).hasField('object')).toBe(expected);
});

test('a fitting value comes back as the schema reads it, defaults filled in', () => {
  expect(toAnswerSchema(z.object({ n: z.number().default(1) })).check({})).toEqual({
    ok: true,
    value: { n: 1 },
  });
});
