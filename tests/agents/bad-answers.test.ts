import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { AgentsFixture, calling, TEAM } from './agents-fixture.ts';

/** What agents and callers of ask_assistant get wrong: each a clear error in its place, and the conversation goes on. */
let fixture: AgentsFixture;
let admin: string;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
  admin = await fixture.baton.createKey({ scopes: ['admin'] });
});
afterAll(() => fixture.stop());

const search = (query: string, more: object = {}) => ({ name: 'web_search', arguments: { query }, ...more });
const toolMessages = ({ messages }: AnyJson) => messages.filter(({ role }: AnyJson) => role === 'tool');
const lastCalls = ({ messages }: AnyJson) => messages.findLast((one: AnyJson) => one.tool_calls).tool_calls;

const rest = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${fixture.baton.url()}/v1${path}`, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as AnyJson };
};

/** The id of a conversation of one turn. */
async function conversation(): Promise<string> {
  const asked = await fixture.ask('Begin');
  return (await fixture.answer(asked.interactionId, { text: 'Begun.' })).result.conversationId;
}

/** One more turn, which is shown every message between the first turn and itself. */
async function expectUsable(conversationId: string): Promise<AnyJson[]> {
  const asked = await fixture.ask('Go on', conversationId);
  const contents = asked.llmRequestForAgent.messages;
  expect(contents.slice(1, 3).map(({ content }: AnyJson) => content)).toEqual(['Begin', 'Begun.']);
  const { status, result } = await fixture.answer(asked.interactionId, { text: 'Gone on.' });
  expect([status, result.response]).toEqual(['completed', 'Gone on.']);
  const calls = contents.flatMap((message: AnyJson) => message.tool_calls ?? []).map(({ id }: AnyJson) => id);
  const answered = contents.flatMap((message: AnyJson) =>
    message.role === 'tool' ? [message.tool_call_id] : [],
  );
  expect(answered).toEqual(calls);
  return contents.slice(3, -1);
}

describe('a tool call', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'whose arguments are cut off',
      [search('x', { arguments: '{"query": "x' })],
      /was not run: its arguments are not JSON/,
    ],
    ['whose arguments are words', [search('x', { arguments: 'weather in Tokyo' })], /arguments are not JSON/],
    ['whose arguments are a list', [search('x', { arguments: ['x'] })], /its arguments are no object/],
    [
      'whose arguments are JSON of a number',
      [search('x', { arguments: '7' })],
      /its arguments are no object/,
    ],
    ['of a name that nobody has', [search('x', { name: 'web_serach' })], /no function 'web_serach'/],
    ['of a name that every object has', [search('x', { name: '__proto__' })], /no function '__proto__'/],
    ['of its own primary', [search('x', { name: 'assistant' })], /no function 'assistant'/],
    ['of an empty name', [search('x', { name: '' })], /it names no function/],
    ['of a name that is no text', [search('x', { name: { a: 1 } })], /it names no function/],
    ['without a name', [{ id: 'a', arguments: {} }], /it names no function/],
    ['of another type', [search('x', { id: 'a', type: 'custom' })], /its type "custom" is unknown/],
    ['that is no object', ['web_search'], /it is no object/],
    ['that is no list of calls', 'web_search', /it is no object/],
  ])('%s has an error result that says so, and the conversation goes on', async (_, calls, problem) => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Call', conversationId);
    const toolCalls = Array.isArray(calls)
      ? calls.map((call) => (typeof call === 'object' && !('id' in call) ? { id: 'a', ...call } : call))
      : calls;
    const outcome = await fixture.answer(asked.interactionId, { toolCalls });
    expect(outcome.status).toBe('input_required');
    const [told, ...more] = toolMessages(outcome.pending.llmRequestForAgent);
    expect(more).toEqual([]);
    expect(told.content).toMatch(problem);
    const { result } = await fixture.answer(outcome.pending.interactionId, { text: 'Then not.' });
    expect(result.functionCalls).toMatchObject([{ error_message: expect.stringMatching(problem) }]);
    const between = await expectUsable(conversationId);
    expect(between.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('with the id of another of its answer has one of its own, and both are run', async () => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Call', conversationId);
    const twice = [search('one', { id: 'same' }), search('two', { id: 'same' })];
    const outcome = await fixture.answer(asked.interactionId, { toolCalls: twice });
    expect(outcome.status).toBe('input_required');
    const pending = await fixture.pendingOf(asked.taskId);
    expect(pending.map(({ llmRequestForAgent }) => llmRequestForAgent.messages[1].content)).toEqual([
      '{"query":"one"}',
      '{"query":"two"}',
    ]);
    await fixture.answer(pending[0]?.interactionId, { text: 'Found one.' });
    const next = await fixture.answer(pending[1]?.interactionId, { text: 'Found two.' });
    expect(next.pending.attempt).toBe(1);
    expect(toolMessages(next.pending.llmRequestForAgent)).toEqual([
      { role: 'tool', tool_call_id: 'same', content: 'Found one.' },
      { role: 'tool', tool_call_id: 'same_2', content: 'Found two.' },
    ]);
    await fixture.answer(next.pending.interactionId, { text: 'Well.' });
    await expectUsable(conversationId);
  });

  test('of 500 at once is not run, and each that is shown has a result', async () => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Call', conversationId);
    const toolCalls = Array.from({ length: 500 }, (_, n) => search(`q${n}`, { id: `call_${n}` }));
    const outcome = await fixture.answer(asked.interactionId, { toolCalls });
    expect(await fixture.pendingOf(asked.taskId)).toHaveLength(1);
    const { llmRequestForAgent, interactionId } = outcome.pending;
    const told = toolMessages(llmRequestForAgent);
    expect(told).toHaveLength(100);
    expect(lastCalls(llmRequestForAgent)).toHaveLength(100);
    for (const { content } of told)
      expect(content).toContain('500 calls were made at once, and at most 100 may be');
    await fixture.answer(interactionId, { text: 'Fewer.' });
    await expectUsable(conversationId);
  });
});

describe('a tool call in the form of', () => {
  const json = JSON.stringify({ query: 'weather' });
  test.each([
    ["OpenAI's chat completions", 'tool_calls', null],
    ["OpenAI's chat completions beside words", 'tool_calls', 'I search.'],
    ["OpenAI's, under Baton's name", 'toolCalls', null],
    ["OpenAI's, under Baton's name beside words", 'toolCalls', 'I search.'],
    ["OpenAI's, a whole message of the assistant", 'message', null],
    ["OpenAI's, a whole message of the assistant with words", 'message', 'I search.'],
    ["Anthropic's messages", 'content', null],
    ["Anthropic's messages beside words", 'content', 'I search.'],
  ])('%s is run [call-forms]', async (_, form, words) => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Call', conversationId);
    const calls = [{ id: 'x1', type: 'function', function: { name: 'web_search', arguments: json } }];
    const data =
      form === 'message'
        ? { role: 'assistant', content: words, refusal: null, tool_calls: calls }
        : form !== 'content'
          ? { text: words ?? undefined, [form]: calls }
          : {
              content: [
                ...(words === null ? [] : [{ type: 'text', text: words }]),
                { type: 'tool_use', id: 'x1', name: 'web_search', input: { query: 'weather' } },
              ],
            };
    const outcome = await fixture.answer(asked.interactionId, data);
    expect(outcome.pending.llmRequestForAgent.messages.at(-1).content).toBe(json);
    const next = await fixture.answer(outcome.pending.interactionId, { text: 'Sunny.' });
    expect(next.pending.llmRequestForAgent.messages.slice(-2)).toEqual([
      {
        role: 'assistant',
        content: words,
        tool_calls: [{ id: 'x1', type: 'function', function: { name: 'web_search', arguments: json } }],
      },
      { role: 'tool', tool_call_id: 'x1', content: 'Sunny.' },
    ]);
    await fixture.answer(next.pending.interactionId, { text: 'It is.' });
    await expectUsable(conversationId);
  });
});

describe('a primary that calls', () => {
  test('functions for ever is offered none after five steps, and fails by its budget with a report [interrupt-final, call-determinism, error-report]', async () => {
    const conversationId = await conversation();
    const asked = await fixture.ask('For ever', conversationId);
    let { interactionId } = asked;
    for (let step = 1; step <= 5; step++) {
      const outcome = await fixture.answer(interactionId, calling(search(`step ${step}`)));
      const next = await fixture.answer(outcome.pending.interactionId, { text: `Found ${step}.` });
      ({ interactionId } = next.pending);
      const { tools, messages } = next.pending.llmRequestForAgent;
      expect(tools === undefined).toBe(step === 5);
      if (step === 5) expect(messages.at(-1).content).toContain('No function can be called any more');
    }
    let ended: AnyJson;
    for (let late = 1; late <= 4; late++) {
      ended = await fixture.answer(interactionId, calling(search(`late ${late}`)));
      interactionId = ended.pending?.interactionId;
    }
    expect(ended).toMatchObject({
      status: 'failed',
      error: {
        code: 'answer_invalid',
        report: { exhausted: 'maxInterruptSteps', budgets: { maxInterruptSteps: 5 } },
      },
    });
    const ends = ended.error.report.attempts.map(({ end }: AnyJson) => end);
    expect(ends).toEqual([...Array(5).fill('interrupt'), ...Array(4).fill('exception')]);
    expect(await expectUsable(conversationId)).toEqual([]);
  });

  test('the same function with the same arguments again gets a note instead of a second run [function-call-repeated]', async () => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Twice', conversationId);
    const first = await fixture.answer(asked.interactionId, calling(search('same')));
    const step = await fixture.answer(first.pending.interactionId, { text: 'Found.' });
    const again = await fixture.answer(step.pending.interactionId, calling(search('same')));
    expect(again.pending.llmRequestForAgent.messages.at(-1).content).toMatch(
      /^This function was called before with the same arguments \(call call_1\), so it was not run again/,
    );
    const { result } = await fixture.answer(again.pending.interactionId, { text: 'Well.' });
    expect(result.functionCalls.map(({ repeated }: AnyJson) => repeated)).toEqual([false, true]);
    await expectUsable(conversationId);
  });

  test('a specialist that failed again asks it again: there is no result to use', async () => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Fails once', conversationId);
    const first = await fixture.answer(asked.interactionId, calling(search('same')));
    const failure = { status: 'error', errorDetails: { message: 'No.', type: 'invalid_request_error' } };
    const { interactionId } = first.pending;
    const { outcome: failed } = await fixture.call('agent_llm', {
      interactionId,
      agentLLMResponse: failure,
      waitMs: 20_000,
    });
    const again = await fixture.answer(failed.pending.interactionId, calling(search('same')));
    const step = await fixture.answer(again.pending.interactionId, { text: 'Found.' });
    const { result } = await fixture.answer(step.pending.interactionId, { text: 'Well.' });
    expect(result.functionCalls).toMatchObject([
      { error_message: expect.stringContaining('No.'), repeated: false },
      { result_str: 'Found.', repeated: false },
    ]);
    await expectUsable(conversationId);
  });
});

describe('a message', () => {
  test('of 100,000 characters is shown whole, and a result so long cut; one more is refused by its field', async () => {
    const conversationId = await conversation();
    const long = 'x'.repeat(100_000);
    const asked = await fixture.ask(long, conversationId);
    expect(asked.llmRequestForAgent.messages.at(-1).content).toBe(long);
    const called = await fixture.answer(asked.interactionId, calling(search('long')));
    const step = await fixture.answer(called.pending.interactionId, { text: long });
    const told = step.pending.llmRequestForAgent.messages.at(-1).content;
    expect(told).toMatch(/\[cut: these are the first 40000 of 100000 bytes\]$/);
    const { result } = await fixture.answer(step.pending.interactionId, { text: 'Read.' });
    expect(result.response).toBe('Read.');
    for (const message of [`${long}x`, '', ' \n', 7, { text: 'x' }, '\ud800'])
      expect(
        await callToolForError(fixture.clients[0]!, 'ask_assistant', { message, conversationId }),
      ).toMatchObject({ code: 'invalid_arguments', field: 'message' });
    await expectUsable(conversationId);
  });

  test('whose request grows over the limit of its bytes fails by that name', async () => {
    const conversationId = await conversation();
    const long = 'ü'.repeat(100_000);
    const asked = await fixture.ask(long, conversationId);
    const called = await fixture.answer(asked.interactionId, calling(search('long')));
    const step = await fixture.answer(called.pending.interactionId, { text: long });
    expect(step.pending.llmRequestForAgent.messages.at(-1).content).toMatch(
      /^ü{20000}\n\[cut: these are the first 40000 of 200000 bytes\]$/,
    );
    const again = await fixture.answer(step.pending.interactionId, calling(search('again')));
    const ended = await fixture.answer(again.pending.interactionId, { text: long });
    const error = { code: 'limit_size', limit: 'delegatedRequestBytes' };
    expect(ended).toMatchObject({ status: 'failed', error });
    expect(await expectUsable(conversationId)).toEqual([]);
  });

  test('to a conversation of every wrong kind of id is refused by name', async () => {
    const id = await conversation();
    const { taskId: noConversation } = await fixture.call('bench_echo', { text: 'x' });
    const refusalOf = async (conversationId: unknown) =>
      (await callToolForError(fixture.clients[0]!, 'ask_assistant', { message: 'x', conversationId })).code;
    for (const wrong of [7, true, {}, [id], `${id} `, id.slice(1), 'a'.repeat(101), '../x', '*'])
      expect([wrong, await refusalOf(wrong)]).toEqual([wrong, 'invalid_arguments']);
    for (const none of [noConversation, '00000000-0000-8000-8000-000000000000'])
      expect([none, await refusalOf(none)]).toEqual([none, 'conversation_not_found']);
    await expectUsable(id);
  });
});

describe('a primary that changes while it is asked', () => {
  const NEW = { id: 'second', name: 'Second', instructions: 'You are the second.' };

  test('is not deleted or disabled; once another is primary, its turn ends as it began, and the next is of the new one', async () => {
    const conversationId = await conversation();
    const asked = await fixture.ask('Who are you?', conversationId);
    const step = await fixture.answer(asked.interactionId, calling(search('me')));
    expect((await rest('DELETE', '/agents/assistant')).status).toBe(409);
    const { id, name, instructions } = TEAM[0]!;
    expect((await rest('PUT', '/agents/assistant', { id, name, instructions, enabled: false })).status).toBe(
      409,
    );
    expect((await rest('PUT', '/agents/second', { ...NEW, isPrimary: true })).status).toBeLessThan(300);
    expect((await rest('DELETE', '/agents/assistant')).status).toBe(200);
    const next = await fixture.answer(step.pending.interactionId, { text: 'Found.' });
    expect(next.pending.llmRequestForAgent.messages[0].content).toBe('You help.\n\nCalm.');
    const { result } = await fixture.answer(next.pending.interactionId, { text: 'The first.' });
    expect(result).toMatchObject({ agentId: 'assistant', response: 'The first.' });

    const later = await fixture.ask('And now?', conversationId);
    expect(later.llmRequestForAgent.messages[0].content).toBe('You are the second.');
    await fixture.answer(later.interactionId, { text: 'The second.' });
    await fixture.putAgent(TEAM[0]!);
    expect((await rest('DELETE', '/agents/second')).status).toBe(200);
    expect(await expectUsable(conversationId)).toHaveLength(6);
  });

  test('may have instructions up to their limit, which are shown whole; longer ones are refused by their field', async () => {
    const conversationId = await conversation();
    const { id, name } = TEAM[0]!;
    const instructions = 'x'.repeat(32_768);
    for (const long of [`${instructions}x`, 'x'.repeat(1_000_000)]) {
      const refused = await rest('PUT', '/agents/assistant', { id, name, instructions: long });
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ code: 'invalid_arguments', field: 'instructions' });
    }
    const wide = await rest('PUT', '/agents/assistant', { id, name, instructions: 'ü'.repeat(32_768) });
    expect(wide.body).toMatchObject({ status: 413, code: 'limit_size', limit: 'agentBytes' });
    expect((await rest('PUT', '/agents/assistant', { id, name, instructions })).status).toBe(200);
    const asked = await fixture.ask('Long', conversationId);
    expect(asked.llmRequestForAgent.messages[0].content).toBe(instructions);
    await fixture.answer(asked.interactionId, { text: 'Read.' });
    await fixture.putAgent(TEAM[0]!);
    await expectUsable(conversationId);
  });
});
