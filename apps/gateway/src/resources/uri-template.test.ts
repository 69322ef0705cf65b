import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UriTemplate } from './uri-template.ts';

const task = new UriTemplate('baton://projects/{project}/tasks/{id}{?tag}');

/** The seed of this run's random values: `FC_SEED=<seed> npx vitest run <this file>` repeats it. */
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31);

test(`whatever the values are, they come back from the URI (FC_SEED=${seed})`, () => {
  const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(
      fc.record({ project: value, id: value, tag: value }, { requiredKeys: ['project', 'id'] }),
      (values) => {
        const uri = task.expand(values);
        expect(task.match(uri)).toEqual({ ...values });
        expect(URL.canParse(uri)).toBe(true);
      },
    ),
    { seed, numRuns: 1_000 },
  );
});

describe('no values are read from', () => {
  test.each([
    ['another path', 'baton://projects/a/tasks'],
    ['a longer path', 'baton://projects/a/tasks/1/2'],
    ['an empty value', 'baton://projects//tasks/1'],
    ['a bare query', 'baton://projects/a/tasks/1?'],
    ['another query', 'baton://projects/a/tasks/1?tags=x'],
    ['two queries', 'baton://projects/a/tasks/1?tag=x&tag=y'],
    ['two question marks', 'baton://projects/a/tasks/1?tag=x?tag=y'],
    ['a fragment', 'baton://projects/a/tasks/1#top'],
    ['a broken encoding', 'baton://projects/%E4/tasks/1'],
    ['another scheme', 'BATON://projects/a/tasks/1'],
    ['more than a URI may hold', `baton://projects/${'a'.repeat(20_000)}/tasks/1`],
  ])('%s', (_claim, uri) => {
    expect(task.match(uri)).toBeUndefined();
  });
});

test('an empty query, to which a template expands without a value, is left out', () => {
  expect(task.match('baton://projects/a/tasks/1?tag=')).toEqual({ project: 'a', id: '1' });
});

test('the variables of a template stand in their order, those of its query last', () => {
  expect(task.variables).toEqual(['project', 'id', 'tag']);
  expect(new UriTemplate('baton://projects').variables).toEqual([]);
});

test.each([
  ['baton://projects/?/tasks/?', true],
  ['baton://projects/a?/tasks/1', true],
  ['baton://projects/a/?/1', true],
  ['baton://projects/a/tasks/1!tag=?', true],
  ['baton://projects/a/tasks/1!?', true],
  ['baton://projects/a/tasks/1!other=?', false],
  ['baton://projects/a/tasks', false],
  ['baton://projects//tasks/?', false],
  ['baton://projects/a/rules/?', false],
])('an unfinished URI may be of the template, or not: %s (%s)', (text, may) => {
  const uri = text.replaceAll('?', '\u0000').replaceAll('!', '?');
  expect(task.mayMatch(uri, '\u0000')).toBe(may);
});
