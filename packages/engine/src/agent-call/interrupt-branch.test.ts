import type { FunctionCall } from './agent-call.ts';
import { describe, expect, test } from 'vitest';
import {
  question,
  counting,
  call,
  calling,
  right,
  value,
  error,
  report,
  sent,
} from '../testing/counting-call.ts';
import { describeEffect, playProgram, successAnswer } from '../testing/play-program.ts';

describe('the interrupt branch', () => {
  const functions = counting();

  test('runs the calls, stays in the dialog, and is traced', () => {
    const asking = successAnswer({
      text: 'wait',
      toolCalls: [{ id: 'a', name: 'count', arguments: '{"of":1}' }],
    });
    const played = playProgram(call({ functions }), [asking, right]);
    expect(sent(played, 0)?.['tools']).toEqual(functions.tools);
    const turns = [
      {
        role: 'assistant',
        content: 'wait',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'count', arguments: '{"of":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"counted":{"of":1}}' },
    ];
    expect(sent(played, 1)?.messages).toEqual([question, ...turns]);
    expect(value(played)).toEqual({
      value: 3,
      text: '{"n":3}',
      content: [],
      added: [...turns, { role: 'assistant', content: '{"n":3}' }],
      trace: [
        {
          id: 'a',
          name: 'count',
          arguments: { of: 1 },
          result: { counted: { of: 1 } },
          result_str: '{"counted":{"of":1}}',
          repeated: false,
        },
      ],
      attempts: [
        { number: 1, route: 0, end: 'interrupt', calls: 1 },
        { number: 2, route: 0, end: 'accepted' },
      ],
    });
  });

  test('runs several calls of one answer together, at most atOnce unfinished', () => {
    const played = playProgram(call({ functions: { ...functions, atOnce: 2 } }), [
      calling({ arguments: { of: 1 } }, { arguments: { of: 2 } }),
    ]);
    expect(played.effects[1]).toMatchObject({ kind: 'all', atOnce: 2, branches: { length: 2 } });
  });

  test.each<[string, object, string]>([
    [
      'of an unknown function',
      { name: 'sing' },
      "Error: There is no function 'sing'. There are: count, fail.",
    ],
    [
      'with broken arguments',
      { arguments: '{"a":' },
      'Error: The call was not run: its arguments are not JSON',
    ],
    ['that is refused', { name: 'fail' }, 'Error: project_not_found: no such project'],
    ['without a name', { name: '' }, 'Error: The call was not run: it names no function.'],
  ])('a call %s gets an error result, and the call goes on', (_claim, one, told) => {
    const played = playProgram(call({ functions }), [calling(one), right]);
    expect(sent(played, 1)?.messages[2]).toEqual({
      role: 'tool',
      tool_call_id: 'c0',
      content: expect.stringContaining(told),
    });
    const error_message = expect.stringContaining(told.slice('Error: '.length));
    expect(value(played).trace).toMatchObject([{ repeated: false, error_message }]);
    expect(value(played).value).toBe(3);
  });

  test('a bug of a function ends the program, and is never shown to the model', () => {
    const broken = counting(function* () {
      throw new TypeError('bug');
    });
    expect(error(playProgram(call({ functions: broken }), [calling({})]))).toBeInstanceOf(TypeError);
  });

  test('a repeated identical call is never run twice: it gets a note, whatever the order of its fields', () => {
    let runs = 0;
    const counted = counting(function* () {
      runs++;
      return { ok: true, result: runs };
    });
    const played = playProgram(call({ functions: counted }), [
      calling({ arguments: { a: 1, b: 2 } }),
      calling({ arguments: { b: 2, a: 1 } }),
      calling({ arguments: { a: 1 } }),
      right,
    ]);
    expect(runs).toBe(2);
    expect(value(played).trace.map(({ repeated }) => repeated)).toEqual([false, true, false]);
    expect(sent(played, 2)?.messages.at(-1)?.content).toContain(
      'called before with the same arguments (call c0)',
    );
  });

  test('ids that an earlier turn has are never repeated in the dialog', () => {
    const played = playProgram(call({ functions }), [calling({}), calling({ arguments: { x: 1 } }), right]);
    expect(value(played).trace.map(({ id }) => id)).toEqual(['c0', 'c0_2']);
    expect(value(played).added.flatMap((one) => (one.role === 'tool' ? [one.tool_call_id] : []))).toEqual([
      'c0',
      'c0_2',
    ]);
  });

  test('500 calls at once are never run: a hundred are answered with that', () => {
    const many = calling(...Array.from({ length: 500 }, (_, n) => ({ id: `m${n}`, arguments: { n } })));
    const played = playProgram(call({ functions }), [many, right]);
    expect(played.effects.map(describeEffect)).toEqual(['attempt 1', 'attempt 1']);
    expect(value(played).trace).toHaveLength(100);
    expect(sent(played, 1)?.messages.at(-1)?.content).toContain(
      '500 calls were made at once, and at most 100',
    );
  });

  test('results are told up to a length, and say where they were cut', () => {
    const long = counting(function* () {
      return { ok: true, result: null, text: 'r'.repeat(1_000_000) };
    });
    const played = playProgram(call({ functions: long }), [calling({}), right]);
    expect(JSON.stringify(sent(played, 1)).length).toBeLessThan(45_000);
    expect(sent(played, 1)?.messages.at(-1)?.content).toContain('the first 40000 of 1000000 bytes');
  });

  test('the handler writes the tool messages, one for each call, and no other message', () => {
    const handlers = { interrupt: ({ id, name }: FunctionCall) => `${id}: ${name}` };
    const outcomes = [calling({ name: 'sing' }, { name: 'dance' }), right];
    const played = playProgram(call({ functions, handlers }), outcomes);
    expect(sent(played, 1)?.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c0', content: 'c0: sing' },
      { role: 'tool', tool_call_id: 'c1', content: 'c1: dance' },
    ]);
  });
});

describe('after the last interrupt step', () => {
  const functions = counting();
  const budgets = { maxInterruptSteps: 2 };
  const spent = [calling({ arguments: { x: 1 } }), calling({ arguments: { x: 2 } })];

  test('no tools are offered and the answer is asked for in words, which does not stay', () => {
    const parameters = { toolChoice: 'auto', tools: [{ type: 'web_search' }] };
    const played = playProgram(call({ functions, budgets, parameters }), [...spent, right]);
    expect(sent(played, 1)?.['tools']).toHaveLength(3);
    expect(sent(played, 2)).not.toHaveProperty('tools');
    expect(sent(played, 2)).not.toHaveProperty('toolChoice');
    expect(sent(played, 2)?.messages.at(-1)?.content).toContain('Give your final answer now');
    expect(value(played).added.map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  test('words beside a further call are the answer', () => {
    const both = successAnswer({ n: 3, toolCalls: [{ id: 'z', name: 'count', arguments: {} }] });
    expect(value(playProgram(call({ functions, budgets }), [...spent, both])).value).toBe(3);
  });

  test('further calls alone are wrong answers, and end the call by the budget of steps', () => {
    const played = playProgram(call({ functions, budgets }), [
      ...spent,
      calling({}),
      calling({}),
      calling({}),
      calling({}),
      { routes: 1 },
    ]);
    expect(error(played)).toMatchObject({ code: 'answer_invalid', details: { attempts: 6 } });
    expect(report(played)).toMatchObject({
      exhausted: 'maxInterruptSteps',
      functionCalls: [{ id: 'c0' }, { id: 'c0_2' }],
    });
  });

  test('without steps functions are never offered', () => {
    const played = playProgram(call({ functions, budgets: { maxInterruptSteps: 0 } }), [right]);
    expect(sent(played, 0)).toEqual({ apiKey: null, messages: [question] });
  });
});
