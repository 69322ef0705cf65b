import { interactionStatusSchema, isEnded, taskStatusSchema } from '@baton/protocol';
import { expect, test } from 'vitest';
import { requireTransition, TRANSITIONS } from '../testing/transitions.ts';

const ofTask = TRANSITIONS.filter(({ of }) => of === 'task');
const ofInteraction = TRANSITIONS.filter(({ of }) => of === 'interaction');

test('the headers of the scripts reach every status, and no other', () => {
  expect(new Set(ofTask.map(({ to }) => to))).toEqual(new Set(taskStatusSchema.options));
  expect(new Set(ofInteraction.map(({ to }) => to))).toEqual(new Set(interactionStatusSchema.options));
  const known = ['new', ...taskStatusSchema.options, ...interactionStatusSchema.options];
  expect(TRANSITIONS.filter(({ from }) => !known.includes(from))).toEqual([]);
});

test('a task that has ended never moves again, but that RETRY takes up what failed, and one that has not can always end', () => {
  for (const status of taskStatusSchema.options) {
    const next = ofTask.filter(({ from }) => from === status).map(({ to }) => to);
    if (isEnded(status)) expect(next).toEqual(status === 'failed' ? ['working'] : []);
    else expect(next).toEqual(expect.arrayContaining(['completed', 'failed', 'cancelled']));
  }
  expect(ofTask.filter(({ from }) => from === 'failed').map(({ by }) => by)).toEqual(['task/retry']);
});

test('a step that no script takes is refused', () => {
  expect(() => requireTransition('task', 'completed', 'working')).toThrow("from 'completed' to 'working'");
  expect(() => requireTransition('interaction', 'answered', 'pending')).toThrow("from 'answered'");
  requireTransition('task', 'working', 'working');
});
