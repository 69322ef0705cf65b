import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

const known = ['projectRoot', 'numTasks', 'tag', 'force', 'BATON_INTERACTION_TTL_MS', 'BATON_TASK_TTL_MS'];

test.each([
  ['numtasks', 'numTasks'],
  ['num_tasks', 'numTasks'],
  ['numTask', 'numTasks'],
  ['projetRoot', 'projectRoot'],
  ['project', 'projectRoot'],
  ['tags', 'tag'],
  ['BATON_INTERACTON_TTL_MS', 'BATON_INTERACTION_TTL_MS'],
])('%s means %s', (name, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

test.each(['colour', 'x', '', '☃', 'pro'])("'%s' means none of them", (name) => {
  expect(nearestName(name, known)).toBeUndefined();
});

test('a name of a megabyte beside a million known ones is never compared with all of them', () => {
  expect(nearestName('n'.repeat(1_000_000), known)).toBeUndefined();
  let given = 0;
  const many = (function* () {
    for (; given < 1_000_000; given++) yield `name${given}${'x'.repeat(1_000)}`;
  })();
  nearestName('n'.repeat(64), many);
  expect(given).toBeLessThan(1_000);
});
