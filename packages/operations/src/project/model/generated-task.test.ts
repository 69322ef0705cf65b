import fc from 'fast-check';
import { expect, it } from 'vitest';
import { generatedTaskSchema } from './generated-task.ts';
import { dependencySchema, isReadableDependency } from './task-id.ts';

it('is told of its first wrong dependency only, so that an answer of nothing else is refused in time', () => {
  const dependencies = ['1', 'x', 'y', ...Array.from({ length: 150 }, () => 'z')];
  for (const given of [dependencies, dependencies.join(',')]) {
    const { error } = generatedTaskSchema.safeParse({
      id: 1,
      title: 'T',
      description: '',
      dependencies: given,
    });
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['dependencies.1']);
  }
});

it('takes a dependency exactly when its schema does', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^ ?([Tt]ask[ _-]?|#)?\d{1,12}(\.\d{1,3})? ?$/));
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.double(), fc.integer(), texts), (value) => {
      expect(isReadableDependency(value)).toBe(dependencySchema.safeParse(value).success);
    }),
    { numRuns: 1_000 },
  );
});
