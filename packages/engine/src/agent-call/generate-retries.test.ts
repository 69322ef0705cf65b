import { RETRYABLE_ERROR_TYPES } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DEFAULT_BUDGETS } from './agent-call.ts';
import { generateObject, generateText } from './generate.ts';
import { successAnswer, describeEffect, playProgram, errorAnswer } from '../testing/play-program.ts';

const call = {
  role: 'main',
  modelId: 'model',
  summary: 'counting',
  messages: [{ role: 'user', content: 'How many?' }],
} as const;
const counted = () => generateObject({ ...call, schema: z.object({ n: z.number() }), objectName: 'count' });
const wrong = successAnswer({ n: 'three' });
const right = successAnswer({ n: 3 });
const busy = errorAnswer('overloaded_error');
const slept = null;
const oneRoute = { routes: 1 };

/** A pause by which doubling it is in: its jitter is another test's. */
const rounded = (words: string) =>
  words.replace(/^pause (\d+)$/, (_, ms) => (Number(ms) <= 2_000 ? 'pause 1-2 s' : 'pause 2-4 s'));

test('the budgets are those of the contract: 3 wrong answers, 5 function steps, 2 recalls', () => {
  expect(DEFAULT_BUDGETS).toEqual({ maxExceptionRetries: 3, maxInterruptSteps: 5, maxRecalls: 2 });
});

describe('within its budgets a call', () => {
  test.each<[string, unknown[], string[]]>([
    ['takes a right answer after three wrong ones', [wrong, wrong, wrong, right], ['1', '2', '3', '4']],
    [
      'pauses 1 to 2 s, then 2 to 4 s',
      [busy, slept, busy, slept, right],
      ['1', 'pause 1-2 s', '2', 'pause 2-4 s', '3'],
    ],
    [
      'counts every asking as an attempt, whatever its reason',
      [wrong, busy, slept, wrong, busy, slept, wrong, right],
      ['1', '2', 'pause 1-2 s', '3', '4', 'pause 2-4 s', '5', '6'],
    ],
  ])('%s', (_claim, outcomes, expected) => {
    const { effects, end } = playProgram(counted(), outcomes);
    expect(effects.map(describeEffect).map((words) => rounded(words).replace('attempt ', ''))).toEqual(
      expected,
    );
    expect(end).toEqual({ value: { n: 3 } });
  });

  test('does not pause after a wrong answer', () => {
    expect(playProgram(counted(), [wrong]).effects.map(describeEffect)).toEqual(['attempt 1', 'attempt 2']);
  });

  test('has budgets of its own: what one call used up, the next does not lack', () => {
    function* twice() {
      return [yield* counted(), yield* counted()];
    }
    const spent = [wrong, busy, slept, wrong, busy, slept, wrong, right];
    const { effects, end } = playProgram(twice(), [...spent, ...spent]);
    expect(end).toEqual({ value: [{ n: 3 }, { n: 3 }] });
    expect(effects.slice(8).map(describeEffect)).toEqual(effects.slice(0, 8).map(describeEffect));
  });
});

describe('out of its budgets a call', () => {
  test('fails with answer_invalid and the last problem, and does not ask a fifth time', () => {
    const { effects, end } = playProgram(counted(), [
      wrong,
      wrong,
      successAnswer('no JSON'),
      successAnswer({ n: null }),
      oneRoute,
    ]);
    expect(effects.map(describeEffect)).toEqual([
      'attempt 1',
      'attempt 2',
      'attempt 3',
      'attempt 4',
      'lookup',
    ]);
    expect(end).toMatchObject({
      error: {
        code: 'answer_invalid',
        message: expect.stringContaining('4 answers to "counting" did not fit'),
        details: { problem: 'n: Invalid input: expected number, received null', attempts: 4 },
      },
    });
  });

  test('fails with agent_error and the details of the last failure', () => {
    const last = {
      status: 'error',
      errorDetails: { message: 'still busy', type: 'api_error', provider: 'x' },
    };
    const { effects, end } = playProgram(counted(), [busy, slept, busy, slept, last, oneRoute]);
    expect(effects.map(describeEffect).map(rounded)).toEqual([
      'attempt 1',
      'pause 1-2 s',
      'attempt 2',
      'pause 2-4 s',
      'attempt 3',
      'lookup',
    ]);
    expect(end).toMatchObject({
      error: {
        code: 'agent_error',
        message: expect.stringContaining('still busy'),
        details: { errorDetails: { message: 'still busy', type: 'api_error', provider: 'x' }, attempts: 3 },
      },
    });
  });

  test('recalls never refill the budget of wrong ones', () => {
    const { end } = playProgram(counted(), [wrong, busy, slept, wrong, busy, slept, wrong, wrong, oneRoute]);
    expect(end).toMatchObject({ error: { code: 'answer_invalid', details: { attempts: 6 } } });
  });

  test('asks each further route once, with the last problem, before it fails', () => {
    const routes = { routes: 3 };
    const spent = [wrong, wrong, wrong, wrong, routes];
    const { calls, end } = playProgram(counted(), [...spent, wrong, routes, right]);
    expect(calls.map(({ route = 0, attempt }) => [route, attempt])).toEqual([
      [0, 1],
      [0, 2],
      [0, 3],
      [0, 4],
      [1, 5],
      [2, 6],
    ]);
    expect(calls[4]?.request.messages).toEqual(calls[3]?.request.messages);
    expect(calls[4]?.correction?.mostAttempts).toBe(5);
    expect(end).toEqual({ value: { n: 3 } });
    const failed = playProgram(counted(), [...spent, wrong, routes, wrong, routes]).end;
    expect(failed).toMatchObject({ error: { code: 'answer_invalid', details: { attempts: 6 } } });
  });
});

test('an endpoint that is busy for long is left for the next route at once, where a worker says so', () => {
  const busyForLong = {
    status: 'error',
    errorDetails: { message: 'busy', type: 'rate_limit_error', retryAfterMs: 600_000, nextRoute: true },
  };
  const { effects, calls, end } = playProgram(counted(), [busyForLong, { routes: 2 }, right]);
  expect(effects.map(describeEffect)).toEqual(['attempt 1', 'lookup', 'attempt 2']);
  expect(calls[1]?.route).toBe(1);
  expect(end).toEqual({ value: { n: 3 } });
});

describe('a failure of the agent', () => {
  test.each([...RETRYABLE_ERROR_TYPES])('of type %s is asked again', (type) => {
    expect(playProgram(counted(), [errorAnswer(type), slept, right]).end).toEqual({ value: { n: 3 } });
  });

  test.each([
    undefined,
    'authentication_error',
    'invalid_request_error',
    'RATE_LIMIT_ERROR',
    '',
    'constructor',
  ])('of type %s is not: it ends the call with the details of the agent', (type) => {
    const { effects, end } = playProgram(generateText(call), [errorAnswer(type, 'no key'), oneRoute]);
    expect(effects.map(describeEffect)).toEqual(['attempt 1', 'lookup']);
    expect(end).toMatchObject({
      error: { code: 'agent_error', details: { errorDetails: { message: 'no key' }, attempts: 1 } },
    });
  });
});
