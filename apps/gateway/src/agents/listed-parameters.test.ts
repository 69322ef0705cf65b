import { expect, test } from 'vitest';
import { listedParameters } from './listed-parameters.ts';

/** Each level has properties that all refer to the next one: a small schema, and a large form of it. */
function fanOut(levels: number, names: readonly string[]) {
  const levelOf = (at: number) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/d${at + 1}` }])),
  });
  const $defs = Object.fromEntries(Array.from({ length: levels }, (_, at) => [`d${at}`, levelOf(at)]));
  return {
    type: 'object',
    properties: { x: { $ref: '#/$defs/d0' } },
    $defs: { ...$defs, [`d${levels}`]: { type: 'string' } },
  };
}

test('parameters whose references fan out are listed as deep as has room, and never longer', () => {
  const listed = JSON.stringify(listedParameters(fanOut(13, ['a', 'b', 'c', 'd'])));
  expect(listed.length).toBeLessThanOrEqual(8_192);
  expect(listed).toContain('"x":{"type":"object","properties":{"a":{"type":"object"');
});

test('parameters that are too long at any depth are listed as an object', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`p${at}`, { $ref: '#/$defs/d' }]),
  );
  const $defs = { d: { type: 'string', description: 'x'.repeat(500) } };
  expect(listedParameters({ type: 'object', properties, $defs })).toEqual({ type: 'object' });
});

test('the listed form of equal parameters is made once', () => {
  const parameters = fanOut(3, ['a', 'b']);
  expect(listedParameters(structuredClone(parameters))).toBe(listedParameters(parameters));
});
