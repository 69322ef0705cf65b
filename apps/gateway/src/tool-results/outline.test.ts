import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outlineOf } from './outline.ts';

test('a field a line, an element a line, longer texts beneath', () => {
  const long = 'x'.repeat(121);
  const data = {
    status: 'completed',
    tag: null,
    tasks: [
      { id: 1, title: 'Brew', dependencies: [], done: false },
      { id: 2, title: 'Pour', dependencies: [1], details: long, subtasks: [{ id: 1, title: 'Cup' }] },
    ],
    stats: { total: 2 },
  };
  expect(outlineOf(data).split('\n')).toEqual([
    'status: completed',
    'tasks:',
    '  - id: 1; title: Brew; done: false',
    '  - id: 2; title: Pour; dependencies: 1',
    `    details: ${long}`,
    '    subtasks:',
    '      - id: 1; title: Cup',
    'stats:',
    '  total: 2',
  ]);
});

test('a long text that the sentence has already is not said again', () => {
  const response = 'The shop opens at nine. '.repeat(10);
  expect(outlineOf({ response, model: 'm' }, response)).toBe('model: m');
});

test('every value of any data is in it, unless it is cut', () => {
  const seed = Date.now() & 0x7fffffff;
  console.log(`outline: SEED=${seed}`);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 6 })), (data) => {
      const outline = outlineOf(data);
      const visit = (value: unknown): void => {
        if (value === null || value === '') return;
        if (typeof value === 'object') Object.values(value).forEach(visit);
        else if (!outline.includes(typeof value === 'string' ? value : JSON.stringify(value)))
          throw new Error(`${JSON.stringify(value)} is missing in ${outline}`);
      };
      visit(data);
    }),
    { seed },
  );
  const cut = outlineOf({ texts: Array.from({ length: 1_000 }, () => ({ text: 'y'.repeat(200) })) });
  expect(cut.length).toBeLessThan(32_100);
  expect(cut).toMatch(/cut here: structuredContent has all of it\)$/);
});
