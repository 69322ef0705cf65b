import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** Prompts of the tenant, stored over REST and called over the wire, on two replicas. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture?.stop());

const put = (name: string, more: object = {}) => fixture.putPrompt(name, { text: 'Why {thing}?', ...more });

const args = { thing: 'rain' };
const call = (name: string, more: object = {}) => fixture.call('call_prompt', { name, args, ...more });
const refused = (more: object) => callToolForError(fixture.clients[1]!, 'call_prompt', more);
const messagesOf = (directive: AnyJson): AnyJson[] => directive.llmRequestForAgent.messages;
const textsOf = (directive: AnyJson) => messagesOf(directive).map(({ content }) => content);

describe('the answer of a prompt', () => {
  test('in XML tags is asked for again in the words of its handler, and the bad one leaves the dialog [exception-handler]', async () => {
    await put('extract', {
      system: 'You read {thing}.',
      parser: { type: 'xml', tags: [{ name: 'person', many: true }] },
      exceptionHandler: 'About {thing}: {error_message}. Write {{tags}}.',
    });
    const asked = await call('extract');
    expect(textsOf(asked)[0]).toMatch(/^You read rain\.\n\nAnswer in XML tags.*<person> \(required/s);
    expect(textsOf(asked)[1]).toBe('Why rain?');
    const again = await fixture.answer(asked.interactionId, { text: 'Ann and Bob' });
    expect(textsOf(again.pending).slice(2)).toEqual([
      'Ann and Bob',
      'About rain: <person> is missing. Write {tags}.',
    ]);
    const good = '<person>Ann</person><person>Bob</person>';
    const { result } = await fixture.answer(again.pending.interactionId, { text: good });
    expect(result).toMatchObject({
      prompt: 'extract',
      version: 1,
      response: { person: ['Ann', 'Bob'] },
      attempts: [
        { end: 'exception', problem: '<person> is missing' },
        { number: 2, end: 'accepted' },
      ],
    });
    const { top_prompt, messages } = result.dialog;
    expect(top_prompt).toBe('prompt:extract@1');
    expect(messages.map(({ content }: AnyJson) => content)).toEqual(['You read rain.', 'Why rain?', good]);
  });

  test('as JSON fits the schema of the prompt, and is asked for by it', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    await put('count', { parser: { type: 'json', schema }, model: 'm-1', temperature: 0.5, maxTokens: 9 });
    const asked = await call('count');
    expect(asked.llmRequestForAgent).toMatchObject({
      schema,
      modelId: 'm-1',
      temperature: 0.5,
      maxTokens: 9,
    });
    const again = await fixture.answer(asked.interactionId, { object: { n: 'x' } });
    expect(textsOf(again.pending).at(-1)).toContain('n');
    const { result } = await fixture.answer(again.pending.interactionId, { object: { n: 3 } });
    expect(result.response).toEqual({ n: 3 });
  });

  test('in Markdown tags may lack what the call makes optional, and lacks nothing that it requires [prompt-arguments]', async () => {
    const tags = [{ name: 'answer' }, { name: 'note', required: false }];
    await put('blocks', { parser: { type: 'md', tags } });
    const asked = await call('blocks', { parserArgs: { optional: ['answer'], required: ['note'] } });
    expect(textsOf(asked).at(-1)).toBe('Why rain?');
    const again = await fixture.answer(asked.interactionId, { text: '```answer\nwater\n```' });
    expect(textsOf(again.pending).at(-1)).toContain('```note is missing');
    const { result } = await fixture.answer(again.pending.interactionId, { text: '```note\nwater\n```' });
    expect(result.response).toEqual({ note: 'water' });
    expect(await refused({ name: 'blocks', args, parserArgs: { required: ['x'] } })).toMatchObject({
      code: 'invalid_arguments',
      field: 'parserArgs',
    });
  });

  test('that never parses fails the task within the budgets of the prompt', async () => {
    await put('once', {
      parser: { type: 'xml', tags: [{ name: 'a' }] },
      budgets: { maxExceptionRetries: 0 },
    });
    const asked = await call('once');
    const { status, error } = await fixture.answer(asked.interactionId, { text: 'no' });
    expect(status).toBe('failed');
    expect(error).toMatchObject({ code: 'answer_invalid', report: { exhausted: 'maxExceptionRetries' } });
  });
});

describe('the functions of a prompt', () => {
  test('are tools around projects and specialists; its handler writes the tool messages, and no other [interrupt-handler, agent-prompts]', async () => {
    await fixture.call('initialize_project', { projectRoot: 'p', name: 'Shop' });
    await fixture.call('add_task', { projectRoot: 'p', title: 'Basket', description: 'A basket' });
    await put('plan', {
      functions: ['next_task', 'set_task_status', 'agent_coder'],
      interruptHandler: 'For {thing}:\n{call_results}',
    });
    const asked = await call('plan');
    const names = asked.llmRequestForAgent.tools.map((tool: AnyJson) => tool.function.name);
    expect(names).toEqual(['next_task', 'set_task_status', 'agent_coder']);
    const calls = calling(
      { name: 'next_task', arguments: { projectRoot: 'p' } },
      { name: 'set_task_status', arguments: { projectRoot: 'p', id: '1', status: 'review' } },
      { name: 'set_task_status', arguments: { projectRoot: 'p', id: '1', status: 'odd' } },
      { name: 'set_task_status', arguments: { projectRoot: 'none', id: '1', status: 'done' } },
      { name: 'agent_coder', arguments: { message: 'a script' } },
    );
    await fixture.answer(asked.interactionId, calls);
    const [coding] = await fixture.pendingOf(asked.taskId);
    expect(textsOf(coding!)).toEqual(['You write code.', 'a script']);
    const next = await fixture.answer(coding!.interactionId, { text: 'print(1)' });
    expect(messagesOf(next.pending).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      ...calls.toolCalls.map(() => 'tool'),
    ]);
    const told = textsOf(next.pending).slice(2);
    expect(told[0]).toMatch(/^For rain:\nnext_task: \{.*Basket.*\}$/s);
    expect(told[2]).toMatch(/^For rain:\nset_task_status: Error: .*status/);
    expect(told[4]).toBe('For rain:\nagent_coder: print(1)');
    expect(told.filter((text: string) => text.includes('print(1)'))).toHaveLength(1);
    const { result } = await fixture.answer(next.pending.interactionId, { text: 'Done.' });
    expect(result.functionCalls).toMatchObject([
      { name: 'next_task', result: { task: { title: 'Basket' } } },
      { name: 'set_task_status', result: { updated: [{ id: '1', to: 'review' }] } },
      { error_message: expect.stringContaining('status') },
      { error_message: expect.stringContaining('project_not_found') },
      { name: 'agent_coder', result: 'print(1)' },
    ]);
    const { task } = await fixture.call('get_task', { projectRoot: 'p', id: '1' });
    expect(task.status).toBe('review');
  });

  test('and its parser and tags hold in what its handlers ask, too [handlers-inherit]', async () => {
    await put('careful', {
      functions: ['agent_coder'],
      parser: { type: 'xml', tags: [{ name: 'code' }] },
      exceptionHandler: 'Bad: {error_message}.',
      interruptHandler: 'Known: {call_results}',
    });
    const asked = await call('careful');
    const offered = ({ llmRequestForAgent: { tools } }: AnyJson) =>
      tools.map((tool: AnyJson) => tool.function.name);
    const again = await fixture.answer(asked.interactionId, { text: 'x = 1' });
    expect(textsOf(again.pending).at(-1)).toBe('Bad: <code> is missing.');
    expect(offered(again.pending)).toEqual(['agent_coder']);
    const args = { message: 'a script' };
    const asks = await fixture.answer(
      again.pending.interactionId,
      calling({ name: 'agent_coder', arguments: args }),
    );
    const known = await fixture.answer(asks.pending.interactionId, { text: 'x = 1' });
    expect(textsOf(known.pending).at(-1)).toBe('Known: agent_coder: x = 1');
    expect(offered(known.pending)).toEqual(['agent_coder']);
    const bad = await fixture.answer(known.pending.interactionId, { text: 'x = 1' });
    expect(textsOf(bad.pending).slice(-2)).toEqual(['x = 1', 'Bad: <code> is missing.']);
    const { result } = await fixture.answer(bad.pending.interactionId, { text: '<code>x = 1</code>' });
    expect(result.response).toEqual({ code: 'x = 1' });
    const ends = result.attempts.map(({ end }: AnyJson) => end);
    expect(ends).toEqual(['exception', 'interrupt', 'exception', 'accepted']);
  });

  test('that are the caller’s end the call, which goes on with their results', async () => {
    const parameters = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
    await put('asks', { functions: [{ name: 'lookup', description: 'Looks up', parameters }] });
    const asked = await call('asks');
    expect(asked.llmRequestForAgent.tools).toEqual([
      { type: 'function', function: { name: 'lookup', description: 'Looks up', parameters } },
    ]);
    const bad = await fixture.answer(asked.interactionId, calling({ name: 'lookup', arguments: { q: 1 } }));
    expect(textsOf(bad.pending).at(-1)).toContain("arguments of 'lookup' do not fit");
    const made = await fixture.answer(bad.pending.interactionId, {
      text: 'Let me see.',
      ...calling({ name: 'lookup', arguments: { q: 'rain' } }),
    });
    const { result } = made;
    expect(made.status).toBe('completed');
    expect(result).toMatchObject({
      response: null,
      toolCalls: [{ id: 'call_1', name: 'lookup', arguments: { q: 'rain' } }],
    });
    const tool = { role: 'tool', tool_call_id: 'call_1', content: 'wet' };
    const next = await call('asks', { messages: [...result.continueWith, tool] });
    expect(messagesOf(next)).toMatchObject([
      { content: 'Why rain?' },
      { role: 'assistant', content: 'Let me see.', tool_calls: [{ id: 'call_1' }] },
      tool,
    ]);
    const more = await fixture.answer(next.interactionId, calling({ name: 'lookup', arguments: { q: 'x' } }));
    expect(more.result.toolCalls).toMatchObject([{ id: 'call_1_t2' }]);
    expect(more.result.functionCalls).toMatchObject([
      { id: 'call_1', name: 'lookup', result_str: 'wet', repeated: false },
    ]);
    const repeat = await call('asks', { messages: [...result.continueWith, tool] });
    const noted = await fixture.answer(
      repeat.interactionId,
      calling({ name: 'lookup', arguments: { q: 'rain' } }),
    );
    expect(textsOf(noted.pending).at(-1)).toContain(
      "'lookup' was called before with the same arguments (call call_1)",
    );
    const last = await call('asks', { messages: [...result.continueWith, tool] });
    const end = await fixture.answer(last.interactionId, { text: 'Because.' });
    expect(end.result.response).toBe('Because.');
    expect(end.result.toolCalls).toBeUndefined();
    const open = await refused({ name: 'asks', args, messages: result.continueWith });
    expect(open).toMatchObject({ code: 'invalid_arguments', field: 'messages' });
  });

  test.each(['tool_calls', 'toolCalls'])(
    'that are the caller’s are read in OpenAI’s form under %s, alone and beside words',
    async (field) => {
      await put('asks_openai', {
        functions: [{ name: 'lookup', description: 'Looks up', parameters: { type: 'object' } }],
      });
      const made = { id: 'x1', type: 'function', function: { name: 'lookup', arguments: '{"q":"rain"}' } };
      for (const words of [{}, { text: 'Let me see.' }]) {
        const asked = await call('asks_openai');
        const { status, result } = await fixture.answer(asked.interactionId, { ...words, [field]: [made] });
        expect([status, result.toolCalls]).toEqual([
          'completed',
          [{ id: 'x1', name: 'lookup', arguments: { q: 'rain' } }],
        ]);
      }
    },
  );

  test('that are the caller’s are told by the interrupt handler too, and what it says stays in the dialog', async () => {
    const parameters = { type: 'object', properties: { q: { type: 'string' } } };
    await put('tells', {
      functions: [{ name: 'lookup', parameters }],
      interruptHandler: 'Known: {call_results}',
    });
    const asked = await call('tells');
    const made = await fixture.answer(
      asked.interactionId,
      calling({ name: 'lookup', arguments: { q: 'rain' } }),
    );
    const tool = { role: 'tool', tool_call_id: 'call_1', content: 'wet' };
    const next = await call('tells', { messages: [...made.result.continueWith, tool] });
    expect(messagesOf(next).at(-1)).toEqual({ ...tool, content: 'Known: lookup: wet' });
    const more = await fixture.answer(
      next.interactionId,
      calling({ name: 'lookup', arguments: { q: 'snow' } }),
    );
    const second = { role: 'tool', tool_call_id: more.result.toolCalls[0].id, content: 'white' };
    const last = await call('tells', { messages: [...more.result.continueWith, second] });
    expect(messagesOf(last).slice(1)).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', content: 'Known: lookup: wet' },
      { role: 'assistant' },
      { role: 'tool', content: 'Known: lookup: white' },
    ]);
    const { result } = await fixture.answer(last.interactionId, { text: 'It snows.' });
    expect(result.functionCalls.map((one: AnyJson) => one.result_str)).toEqual(['wet', 'white']);
  });

  test.each<[string, unknown[], string]>([
    ['two of one name', ['next_task', 'next_task'], "functions.1: there are two functions 'next_task'"],
    ['no tool', ['no_tool'], "functions.0: there is no tool 'no_tool'"],
    [
      'a tool that Baton runs, with parameters',
      [{ name: 'next_task', parameters: { type: 'object' } }],
      "functions.0.name: 'next_task' is a tool of Baton: give its name alone",
    ],
    [
      'a specialist, with parameters',
      [{ name: 'agent_coder', parameters: { type: 'object' } }],
      "functions.0.name: 'agent_coder' is a tool of Baton: give its name alone",
    ],
  ])('that cannot be called are refused when it is put: %s', async (_, functions, detail) => {
    await expect(put('refused', { functions })).rejects.toThrow(new RegExp(`"detail":"${detail}`));
    expect(await refused({ name: 'refused', args })).toMatchObject({ code: 'prompt_not_found' });
  });

  test('may name a specialist that comes later; until then a call is refused by its name', async () => {
    await put('later', { functions: ['agent_later'] });
    expect(await refused({ name: 'later', args })).toMatchObject({ code: 'agent_not_found' });
    await fixture.putAgent({ id: 'later', name: 'Later', instructions: 'You come later.' });
    const { llmRequestForAgent } = await call('later');
    expect(llmRequestForAgent.tools.map((tool: AnyJson) => tool.function.name)).toEqual(['agent_later']);
  });
});

describe('a call', () => {
  const mcpServers = [{ name: 'docs', url: 'https://docs.example/mcp' }];

  test('carries the functions and the hints of its prompt, in the shape of each API [prompt-functions]', async () => {
    const computerUse = { displayWidth: 800, displayHeight: 600 };
    await put('hinted', {
      functions: ['next_task'],
      hints: { webSearch: true, computerUse, mcpServers },
    });
    const { tools, hints } = (await call('hinted')).llmRequestForAgent;
    expect(tools).toMatchObject([{ function: { name: 'next_task' } }]);
    const types = (api: string) => hints[api].tools.map(({ type }: AnyJson) => type);
    expect(types('responses')).toEqual(['web_search', 'mcp', 'computer_use_preview']);
    expect(types('messages')).toEqual(['web_search_20250305', 'mcp_toolset', 'computer_20250124']);
    expect(hints.chatCompletions).toMatchObject({ unsupported: ['computerUse', 'mcpServers'] });
  });

  test.each<[object, string | undefined]>([
    [{ webSearch: true }, undefined],
    [{ webSearch: true, api: 'chat.completions' }, 'chat.completions'],
    [{ webSearch: true, api: 'responses' }, 'responses'],
    [{ mcpServers }, 'responses'],
  ])('with the hints %o needs the API %s [prompt-api]', async (hints, api) => {
    await put('shaped', { hints });
    expect((await call('shaped')).llmRequestForAgent.hints.api).toBe(api);
  });

  test('asks the version that it names, by default the newest', async () => {
    await put('twice');
    await put('twice', { text: 'How {thing}?' });
    expect(textsOf(await call('twice'))).toEqual(['How rain?']);
    expect(textsOf(await call('twice', { version: 1 }))).toEqual(['Why rain?']);
  });

  test('reads a number as its text, and null as left out', async () => {
    await put('why', { arguments: [{ name: 'thing' }, { name: 'more', required: false }] });
    expect(textsOf(await call('why', { args: { thing: 5, more: null } }))).toEqual(['Why 5?']);
  });

  test.each<[string, object, object]>([
    ['a prompt that is not there', { name: 'nothing' }, { code: 'prompt_not_found' }],
    ['a version that is not there', { name: 'why', version: 9, args }, { code: 'prompt_not_found' }],
    [
      'a blank argument',
      { name: 'why', args: { thing: '' } },
      { code: 'invalid_arguments', field: 'args.thing' },
    ],
    ['a missing argument', { name: 'why' }, { code: 'invalid_arguments', field: 'args.thing' }],
    [
      'an unknown argument',
      { name: 'why', args: { ...args, other: 'x' } },
      { code: 'invalid_arguments', field: 'args.other' },
    ],
  ])('of %s is refused', async (_what, given, expected) => {
    await put('why');
    expect(await refused(given)).toMatchObject(expected);
  });
});

describe('classifiers', () => {
  const saying = (text: string, ...shares: [string, number][]) => ({
    text,
    logprobs: {
      content: [
        {
          token: text,
          logprob: 0,
          top_logprobs: shares.map(([token, p]) => ({ token, logprob: Math.log(p) })),
        },
      ],
    },
  });
  const classify = { text: 'Buy now', classes: ['spam', 'ham'] };

  test('give calibrated probabilities where that is asked for and the answers have logprobs', async () => {
    const asked = await fixture.call('classify', { ...classify, calibrated: true });
    expect(asked.llmRequestForAgent).toMatchObject({ logprobs: true });
    const second = await fixture.answer(asked.interactionId, saying('A', ['A', 0.6], ['B', 0.4]));
    const { result } = await fixture.answer(
      second.pending.interactionId,
      saying('A', ['A', 0.9], ['B', 0.1]),
    );
    expect(result).toMatchObject({
      class: 'ham',
      answered: 'spam',
      method: 'contextual_calibration',
      probabilities: { spam: expect.closeTo(1 / 7), ham: expect.closeTo(6 / 7) },
    });
  });

  test.each<[string, object]>([
    ['no logprobs', { text: 'ham' }],
    // JSON has no NaN: it comes as null, or as a word.
    ['NaN', { text: 'B', logprobs: { content: [{ token: 'B', logprob: Number.NaN, top_logprobs: [] }] } }],
    ['NaN as a word', { text: 'B', logprobs: { content: [{ token: 'B', logprob: 'NaN' }] } }],
  ])('with %s give the class, and say that there is no probability', async (_what, answer) => {
    const asked = await fixture.call('classify', classify);
    const { result } = await fixture.answer(asked.interactionId, answer);
    expect(result).toMatchObject({ class: 'ham', method: 'none', note: expect.stringContaining('No prob') });
    expect(result.probabilities).toBeUndefined();
  });

  test('answer yes or no, with the probability of yes', async () => {
    const given = { text: 'Buy now', question: 'Is it spam?' };
    const asked = await fixture.call('binary_classify', given);
    const { result } = await fixture.answer(asked.interactionId, saying('A', ['A', 0.8], ['B', 0.2]));
    expect(result).toMatchObject({ answer: true, probability: expect.closeTo(0.8), method: 'renormalised' });
  });
});
