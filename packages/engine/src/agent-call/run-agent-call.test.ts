import { BatonError, type Message } from '@baton/protocol';
import { describe, expect, test } from 'vitest';
import {
  question,
  numberParser,
  counting,
  call,
  calling,
  right,
  wrong,
  value,
  error,
  report,
  sent,
} from '../testing/counting-call.ts';
import { describeEffect, errorAnswer, playProgram, successAnswer } from '../testing/play-program.ts';

const oneRoute = { routes: 1 };

describe('a call without functions', () => {
  test('ends with the value, the words, what it adds to the dialog, and its attempts', () => {
    const played = playProgram(call(), [successAnswer({ n: 3, text: 'three' })]);
    expect(value(played)).toEqual({
      value: 3,
      text: 'three',
      content: [],
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
    const played = playProgram(call({ budgets: { maxExceptionRetries: 1 } }), [wrong, wrong, oneRoute]);
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
        { role: 'assistant', content: '{"n":"x"}' },
      ],
      omittedMessages: 0,
    });
  });

  test('never counts an answer whose functions were run among those that did not fit', () => {
    const once = call({ functions: counting(), budgets: { maxExceptionRetries: 0 } });
    const played = playProgram(once, [calling({}), wrong, oneRoute]);
    expect(error(played)).toMatchObject({
      message: expect.stringMatching(/^1 answer to "[^"]+" did not fit .* The last one: n is no number$/),
      details: { attempts: 2 },
    });
    expect(report(played)).toMatchObject({ attempts: [{ end: 'interrupt' }, { end: 'exception' }] });
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
    const played = playProgram(call({ messages, parser: long }), [wrong, wrong, wrong, wrong, oneRoute]);
    const { dialog, omittedMessages } = report(played);
    expect(dialog.length + omittedMessages).toBe(203);
    expect(dialog.length).toBeGreaterThan(1);
    expect(new TextEncoder().encode(JSON.stringify(error(played)?.toWire())).length).toBeLessThan(32_000);
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
