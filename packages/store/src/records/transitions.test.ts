import { interactionStatusSchema, isEnded, taskStatusSchema } from '@baton/protocol';
import { expect, test } from 'vitest';
import { readLua } from '../scripts/lua-source.ts';
import { ALL_SCRIPTS } from '../testing/all-scripts.ts';
import {
  INTERACTION_TRANSITIONS,
  requireTransition,
  TASK_TRANSITIONS,
  transitionsDiagram,
} from './transitions.ts';

const ALL_NAMES = [...ALL_SCRIPTS.values()].map(({ name }) => name);
const BOTH = [
  ...TASK_TRANSITIONS.map((one) => ({ ...one, of: 'task' })),
  ...INTERACTION_TRANSITIONS.map((one) => ({ ...one, of: 'interaction' })),
];

/** The transitions in a script's header: `task working -> failed, interaction pending -> expired`. */
function headerTransitions(script: string): string[] {
  const [, text = ''] = /^-- Transitions: ((?:.*\n)(?:-- {4,}.*\n)*)/m.exec(readLua(script)) ?? [];
  return text.split(/,|\n/).flatMap((part) => part.replace(/^-- /, '').trim() || []);
}

test.each(ALL_NAMES)('the header of %s names the transitions that the data has of it', (script) => {
  const own = BOTH.filter(({ by }) => by.includes(script));
  expect(headerTransitions(script).toSorted()).toEqual(
    own.map(({ of, from, to }) => `${of} ${from} -> ${to}`).toSorted(),
  );
});

test('every script of a transition exists, and every status is reached', () => {
  expect(BOTH.flatMap(({ by }) => by).filter((script) => !ALL_NAMES.includes(script))).toEqual([]);
  expect(new Set(TASK_TRANSITIONS.map(({ to }) => to))).toEqual(new Set(taskStatusSchema.options));
  expect(new Set(INTERACTION_TRANSITIONS.map(({ to }) => to))).toEqual(
    new Set(interactionStatusSchema.options),
  );
});

test('a task that has ended never moves again, but that RETRY takes up what failed, and one that has not can always end', () => {
  for (const status of taskStatusSchema.options) {
    const next = TASK_TRANSITIONS.filter(({ from }) => from === status).map(({ to }) => to);
    if (isEnded(status)) expect(next).toEqual(status === 'failed' ? ['working'] : []);
    else expect(next).toEqual(expect.arrayContaining(['completed', 'failed', 'cancelled']));
  }
  expect(TASK_TRANSITIONS.filter(({ from }) => from === 'failed').flatMap(({ by }) => by)).toEqual([
    'task/retry',
  ]);
});

test('a step that no script takes is refused', () => {
  expect(() => requireTransition(TASK_TRANSITIONS, 'completed', 'working')).toThrow(
    "from 'completed' to 'working'",
  );
  requireTransition(TASK_TRANSITIONS, 'working', 'working');
});

test('the diagram has each transition once', () => {
  const diagram = transitionsDiagram();
  expect(diagram).toMatch(/^stateDiagram-v2\n/);
  for (const { of, from, to } of BOTH) {
    const start = from === 'new' ? '[*]' : `${of}_${from}`;
    expect(diagram.split(`    ${start} --> ${of}_${to}: `)).toHaveLength(2);
  }
});
