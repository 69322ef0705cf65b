import { BatonError } from '@baton/protocol';
import { expect, test } from 'vitest';
import { describeEffect, errorAnswer, playProgram, successAnswer } from '../testing/play-program.ts';
import { askPerson } from './ask-person.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } } };
const ask = () => askPerson({ message: 'Who?', schema, summary: 'a name' });
const fits = (value: unknown) => ({ ok: true, value });

test('a question goes to a person, as what it is, with the schema of the reply', () => {
  const { calls, end } = playProgram(ask(), []);
  expect(end).toBeUndefined();
  expect(calls).toEqual([
    {
      role: 'person',
      serviceType: 'generateObject',
      attempt: 1,
      summary: 'a name',
      request: expect.objectContaining({
        schema,
        objectName: 'reply',
        messages: [
          { role: 'system', content: expect.stringContaining('Do not answer in their place') },
          { role: 'user', content: 'Who?' },
        ],
      }),
    },
  ]);
});

test('a reply that fits is accepted', () => {
  const { end, effects } = playProgram(ask(), [
    successAnswer({ object: { name: 'Ann' } }),
    fits({ name: 'Ann' }),
  ]);
  expect(effects.map(describeEffect)).toEqual(['attempt 1', 'check']);
  expect(end).toEqual({ value: { action: 'accept', content: { name: 'Ann' } } });
});

test.each([
  ['does not fit its schema', { ok: false, problem: 'name is missing' }, 'name is missing'],
  ['is no object', fits('Ann'), 'the reply is no object'],
])('a reply that %s is asked for again with what was wrong', (_, checked, problem) => {
  const { calls } = playProgram(ask(), [successAnswer({ text: 'x' }), checked]);
  expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(JSON.stringify(calls[1]?.request.messages)).toContain(problem);
});

test.each(['decline', 'cancel'] as const)('a person may %s', (action) => {
  const { end } = playProgram(ask(), [errorAnswer(action), { routes: 1 }]);
  expect(end).toEqual({ value: { action } });
});

test.each([
  ['any other error', errorAnswer('broken'), 'agent_error'],
  ['nobody in time', new BatonError('interaction_expired', 'late'), 'interaction_expired'],
])('%s fails', (_, outcome, code) => {
  const { end } = playProgram(ask(), [outcome, { routes: 1 }]);
  expect(end).toMatchObject({ error: { code } });
});
