import type { AgentAnswer } from '@baton/protocol';
import { expect, test } from 'vitest';
import { runProgramInMemory } from '../testing/run-program-in-memory.ts';
import { binaryClassifyOperation } from './binary-classify.ts';
import { classifyOperation } from './classify.ts';

const saying = (text: string, ...shares: [string, number][]): AgentAnswer => {
  const top_logprobs = shares.map(([token, share]) => ({ token, logprob: Math.log(share) }));
  const logprobs = { content: [{ token: text, logprob: 0, top_logprobs }] };
  return { status: 'success', data: shares.length === 0 ? { text } : { text, logprobs } };
};
const classes = ['spam', 'ham'];
const run = (input: object, answers: AgentAnswer[]) =>
  runProgramInMemory(classifyOperation, classifyOperation.input.parse(input), {
    projects: new Map(),
    answer: (_call, asked) => answers[asked - 1] ?? saying('?'),
  });

test('classify asks once, and calibrates nothing, unless it is told to', () => {
  const { end, transcript } = run({ text: 'Buy now', classes }, [saying('A', ['A', 0.6], ['B', 0.4])]);
  expect(transcript).toEqual(['0 llm']);
  expect(end).toMatchObject({
    result: { class: 'spam', method: 'renormalised', probabilities: { spam: expect.closeTo(0.6) } },
  });
});

test('calibrated, classify gives the class and its calibrated probabilities, by two requests', () => {
  const answers = [saying('A', ['A', 0.6], ['B', 0.4]), saying('A', ['A', 0.9], ['B', 0.1])];
  const { end, transcript } = run({ text: 'Buy now', classes, calibrated: true }, answers);
  expect(transcript).toEqual(['0 llm', '1 llm']);
  expect(end).toMatchObject({
    result: {
      class: 'ham',
      answered: 'spam',
      method: 'contextual_calibration',
      probabilities: { spam: expect.closeTo(1 / 7), ham: expect.closeTo(6 / 7) },
    },
  });
});

test('without logprobs classify gives the class, and says that no probability was given', () => {
  const { end, transcript } = run({ text: 'Buy now', classes }, [saying('maybe'), saying('ham')]);
  expect(transcript).toEqual(['0 llm', '1 llm']);
  expect(end).toEqual({
    status: 'completed',
    result: {
      class: 'ham',
      answered: 'ham',
      method: 'none',
      note: expect.stringContaining('No probability was given'),
    },
  });
});

test('binary_classify answers yes or no, with the probability of yes', () => {
  const input = binaryClassifyOperation.input.parse({
    text: 'Buy now',
    question: 'Is it spam?',
  });
  const { end, calls } = runProgramInMemory(binaryClassifyOperation, input, {
    projects: new Map(),
    answer: () => saying('A', ['A', 0.8], ['B', 0.2]),
  });
  expect(calls[0]?.request.messages[0]?.content).toContain('Is it spam?');
  expect(end).toMatchObject({
    result: { answer: true, probability: expect.closeTo(0.8), method: 'renormalised' },
  });
});

test.each<[string, object]>([
  ['one class', { classes: ['a'] }],
  ['27 classes', { classes: Array.from({ length: 27 }, (_, n) => `c${n}`) }],
  ['two classes of one name', { classes: ['A', 'a'] }],
])('%s is refused', (_claim, more) => {
  expect(classifyOperation.input.safeParse({ text: 'x', ...more }).success).toBe(false);
});
