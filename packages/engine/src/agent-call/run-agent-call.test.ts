import { BatonError, type Json, type Message } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import type { Program } from '../effect.ts';
import { describeEffect, errorAnswer, playProgram, successAnswer } from '../testing/play-program.ts';
import type { AgentCall, AgentCallOutcome, AnswerParser, FunctionSet } from './agent-call.ts';
import type { CallReport } from './call-report.ts';
import { runAgentCall } from './run-agent-call.ts';

const question: Message = { role: 'user', content: 'How many?' };

/** Takes `n` where it is a number. */
const numberParser: AnswerParser<number> = {
  *read(data) {
    const n = (data as { n?: unknown }).n;
    return typeof n === 'number' ? { ok: true, value: n } : { ok: false, problem: 'n is no number' };
  },
};

const tool = (name: string) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object' } },
});

function counting(run?: FunctionSet['run']): FunctionSet {
  return {
    tools: [tool('count'), tool('fail')],
    run:
      run ??
      function* ({ name, arguments: args }) {
        if (name === 'fail') throw new BatonError('project_not_found', 'no such project');
        return { ok: true, result: { counted: args } };
      },
  };
}

const call = (more: Partial<AgentCall<number>> = {}): Program<unknown> =>
  runAgentCall({ role: 'main', messages: [question], summary: 'counting', parser: numberParser, ...more });

const calling = (...calls: { id?: string; name?: string; arguments?: Json }[]) =>
  successAnswer({
    toolCalls: calls.map((one, at) => ({ id: `c${at}`, name: 'count', arguments: {}, ...one })),
  });
const right = successAnswer({ n: 3 });
const wrong = successAnswer({ n: 'x' });

type Played = ReturnType<typeof playProgram<unknown>>;
const value = ({ end }: Played) => {
  if (end === undefined || !('value' in end)) throw new Error(`no value: ${JSON.stringify(end)}`);
  return end.value as AgentCallOutcome<number>;
};
const error = ({ end }: Played) =>
  end !== undefined && 'error' in end ? (end.error as BatonError) : undefined;
const report = (played: Played) => error(played)?.details['report'] as CallReport;
const sent = (played: Played, at: number) => played.calls[at]?.request;

describe('a call without functions', () => {
  test('ends with the value, the words, what it adds to the dialog, and its attempts', () => {
    const played = playProgram(call(), [successAnswer({ n: 3, text: 'three' })]);
    expect(value(played)).toEqual({
      value: 3,
      text: 'three',
      added: [{ role: 'assistant', content: 'three' }],
      trace: [],
      attempts: [{ number: 1, route: 0, end: 'accepted' }],
    });
  });

  test('sends what its parser says of the answer: parameters, and instructions at the end of the system message', () => {
    const parser = { ...numberParser, parameters: { schema: {} }, instructions: 'Use tags.' };
    const system: Message = { role: 'system', content: 'Be brief.' };
    const [asked] = playProgram(call({ parser, messages: [system, question] }), []).calls;
    expect(asked?.serviceType).toBe('generateObject');
    expect(asked?.request).toEqual({
      apiKey: null,
      schema: {},
      messages: [{ role: 'system', content: 'Be brief.\n\nUse tags.' }, question],
    });
    const [bare] = playProgram(call({ parser }), []).calls;
    expect(bare?.request.messages).toEqual([{ role: 'system', content: 'Use tags.' }, question]);
    const blocks: Message = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
    const [inBlocks] = playProgram(call({ parser, messages: [blocks, question] }), []).calls;
    expect(inBlocks?.request.messages[0]?.content).toHaveLength(2);
  });

  test('carries what routes it: deadline, history, agent, and the route where it is not the first', () => {
    const delivery = { answerWithinMs: 30_000, agentId: 'a', history: { conversation: 'c', from: 0, to: 4 } };
    const [first] = playProgram(call({ delivery }), []).calls;
    expect(first).toMatchObject(delivery);
    expect(first).not.toHaveProperty('route');
    expect(playProgram(call({ delivery: { route: 1 } }), []).calls[0]?.route).toBe(1);
  });

  test('reads fields named like calls as its parser does', () => {
    const played = playProgram(call(), [successAnswer({ n: 3, toolCalls: [{ name: 'count' }] })]);
    expect(value(played)).toMatchObject({ value: 3, trace: [] });
  });
});

describe('the exception branch', () => {
  const handlers = {
    exception: (problem: string): Message[] => [{ role: 'user', content: `Mend: ${problem}` }],
  };

  test('is what the handler says of the last answer, and is pruned once an answer can be used', () => {
    const played = playProgram(call({ handlers }), [wrong, successAnswer('no'), right]);
    expect(sent(played, 2)?.messages).toEqual([
      question,
      { role: 'assistant', content: 'no' },
      { role: 'user', content: 'Mend: n is no number' },
    ]);
    expect(value(played).added).toEqual([{ role: 'assistant', content: '{"n":3}' }]);
    expect(value(played).attempts).toEqual([
      { number: 1, route: 0, end: 'exception', problem: 'n is no number' },
      { number: 2, route: 0, end: 'exception', problem: 'n is no number' },
      { number: 3, route: 0, end: 'accepted' },
    ]);
  });

  test('is pruned too when the next answer calls functions', () => {
    const played = playProgram(call({ functions: counting() }), [wrong, calling({}), right]);
    expect(sent(played, 2)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  test('ends the call with answer_invalid and the whole report', () => {
    const played = playProgram(call({ budgets: { maxExceptionRetries: 1 } }), [wrong, wrong]);
    expect(error(played)).toMatchObject({
      code: 'answer_invalid',
      details: { problem: 'n is no number', attempts: 2 },
    });
    expect(report(played)).toEqual({
      exhausted: 'maxExceptionRetries',
      budgets: { maxExceptionRetries: 1, maxInterruptSteps: 5, maxRecalls: 2 },
      attempts: [
        { number: 1, route: 0, end: 'exception', problem: 'n is no number' },
        { number: 2, route: 0, end: 'exception', problem: 'n is no number' },
      ],
      functionCalls: [],
      dialog: [
        question,
        expect.objectContaining({ role: 'assistant' }),
        expect.objectContaining({ role: 'user' }),
      ],
      omittedMessages: 0,
    });
  });

  test('never makes a report larger than a reply can hold, however large the dialog is', () => {
    const messages = Array.from(
      { length: 200 },
      (): Message => ({ role: 'user', content: 'ä'.repeat(50_000) }),
    );
    const long = {
      *read() {
        return { ok: false as const, problem: 'p'.repeat(100_000) };
      },
    };
    const played = playProgram(call({ messages, parser: long }), [wrong, wrong, wrong, wrong]);
    const { dialog, omittedMessages } = report(played);
    expect(dialog.length + omittedMessages).toBe(202);
    expect(dialog.length).toBeGreaterThan(1);
    expect(new TextEncoder().encode(JSON.stringify(error(played)?.toWire())).length).toBeLessThan(32_000);
  });
});

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
    expect(played.effects.map(describeEffect)).toEqual(['attempt 1', 'attempt 2']);
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
    expect(sent(played, 1)?.messages.at(-1)?.content).toContain('the first 40000 of 1000000 characters');
  });

  test('the handler writes the tool messages; a call that it leaves out, or invents, never breaks the dialog', () => {
    const handlers = {
      interrupt: (): Message[] => [
        { role: 'tool', tool_call_id: 'c1', content: 'handled' },
        { role: 'tool', tool_call_id: 'unheard', content: 'of' },
        { role: 'user', content: 'Go on.' },
      ],
    };
    const outcomes = [calling({ name: 'sing' }, { name: 'dance' }), right];
    const played = playProgram(call({ functions, handlers }), outcomes);
    expect(sent(played, 1)?.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c0', content: expect.stringContaining('sing') },
      { role: 'tool', tool_call_id: 'c1', content: 'handled' },
      { role: 'user', content: 'Go on.' },
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

describe('recalls', () => {
  const pauses = (details: object, recalls = 1) => {
    const failed = {
      status: 'error',
      errorDetails: { message: 'busy', type: 'rate_limit_error', ...details },
    };
    const outcomes = Array.from({ length: recalls }, () => [failed, null]).flat();
    const { effects } = playProgram(call({ budgets: { maxRecalls: 30 } }), outcomes);
    return effects.flatMap((effect) => (effect.kind === 'sleep' ? [effect.ms] : []));
  };

  test('pause twice as long each time, half of it by chance, and at most 15 minutes', () => {
    for (const [recall, ms] of pauses({}, 30).entries()) {
      const longest = Math.min(900_000, 2_000 * 2 ** recall);
      expect(ms).toBeLessThanOrEqual(longest);
      expect(ms).toBeGreaterThanOrEqual(longest / 2);
    }
  });

  test('pause as long when they are replayed, and not as long as others do', () => {
    expect(pauses({})).toEqual(pauses({}));
    const different = new Set(Array.from({ length: 20 }, (_, n) => pauses({ n })[0]));
    expect(different.size).toBeGreaterThan(10);
  });

  test.each<[object, number]>([
    [{ retryAfterMs: 30_000 }, 30_000],
    [{ retryAfter: 60 }, 60_000],
    [{ retryAfter: '60' }, 60_000],
    [{ retryAfter: 1e308 }, 900_000],
    [{ retryAfterMs: 86_400_000 }, 900_000],
  ])('honour %j, within bounds', (details, ms) => {
    expect(pauses(details)).toEqual([ms]);
  });

  test.each<object>([
    { retryAfter: -5 },
    { retryAfter: Number.NaN },
    { retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    { retryAfter: {} },
    { retryAfterMs: '1e9' },
  ])('take %j for nothing said', (details) => {
    expect(pauses(details)[0]).toBeLessThanOrEqual(2_000);
  });
});

describe('routes', () => {
  const expired = new BatonError('interaction_expired', 'too late', { interactionId: 'i' });
  const fatal = errorAnswer('authentication_error');
  const busy = errorAnswer('api_error');

  test.each<[string, unknown]>([
    ['expiry', expired],
    ['a failure that no recall helps', fatal],
  ])('after %s the next one is asked the same', (_claim, failure) => {
    const played = playProgram(call(), [failure, { routes: 2 }, right]);
    expect(played.effects.map(describeEffect)).toEqual(['attempt 1', 'lookup', 'attempt 2']);
    expect(played.calls[1]).toEqual({ ...played.calls[0], attempt: 2, route: 1 });
    expect(value(played).attempts.map(({ route, end }) => [route, end])).toEqual([
      [0, failure === expired ? 'expired' : 'error'],
      [1, 'accepted'],
    ]);
  });

  test('are asked after the recalls, whose budget is the whole call\u2019s', () => {
    const played = playProgram(call(), [busy, null, busy, null, busy, { routes: 2 }, busy, { routes: 2 }]);
    expect(error(played)).toMatchObject({ code: 'agent_error', details: { attempts: 4 } });
    expect(report(played)).toMatchObject({ exhausted: 'maxRecalls' });
  });

  test('are never asked beyond the last: the error says how it ended', () => {
    const played = playProgram(call(), [fatal, { routes: 2 }, expired, { routes: 2 }]);
    expect(error(played)).toMatchObject({
      code: 'interaction_expired',
      details: { interactionId: 'i', attempts: 2, report: { exhausted: 'deadline' } },
    });
  });

  test('no other error of an interaction leads to the next route', () => {
    const cancelled = new BatonError('interaction_cancelled', 'gone');
    expect(error(playProgram(call(), [cancelled]))).toBe(cancelled);
  });
});
