import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** The primary agent with its specialists, over the wire, on two replicas. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture.stop());

const search = (query: string, id = 'call_1') => ({ id, name: 'web_search', arguments: { query } });
const code = (message: string, id = 'call_2') => ({ id, name: 'coder', arguments: { message } });

describe('a message to the assistant', () => {
  test('is delegated to the primary, with its instructions and the enabled specialists as functions [primary-takes-messages, primary-has-tools, tool-definition]', async () => {
    const asked = await fixture.ask('What is the weather in Tokyo?');
    expect(asked).toMatchObject({ status: 'pending_agent_llm_action', operation: 'ask_assistant' });
    const { messages, tools } = asked.llmRequestForAgent;
    expect(messages).toEqual([
      { role: 'system', content: 'You help.\n\nCalm.' },
      { role: 'user', content: 'What is the weather in Tokyo?' },
    ]);
    expect(tools.map((tool: AnyJson) => tool.function.name)).toEqual(['coder', 'web_search']);
    expect(tools[1]).toMatchObject({
      type: 'function',
      function: {
        description: 'Search the web for current information',
        parameters: { required: ['query'] },
      },
    });
  });

  test('that the primary answers itself ends with its words, and begins a conversation [answer-directly]', async () => {
    const asked = await fixture.ask('Hello');
    const { status, result } = await fixture.answer(asked.interactionId, { text: 'Hello to you.' });
    expect(status).toBe('completed');
    expect(result).toMatchObject({
      operation: 'ask_assistant',
      agentId: 'assistant',
      response: 'Hello to you.',
      conversationId: asked.taskId,
      functionCalls: [],
      dialog: { top_prompt: 'agent:assistant' },
    });
  });

  test('whose answer calls two specialists has both asked together, and the primary goes on with their answers [specialist-returns, tool-call-message, tool-routing, depth-one, agent-hints, agent-leads]', async () => {
    const asked = await fixture.ask('Compare the weather and write a script');
    const working = await fixture.answer(asked.interactionId, calling(search('weather'), code('a script')));
    expect(working.status).toBe('input_required');
    const pending = await fixture.pendingOf(asked.taskId);
    const of = (text: string) =>
      pending.find((one) => JSON.stringify(one.llmRequestForAgent.messages).includes(text));
    expect(pending).toHaveLength(2);
    const searching = of('You search the web.');
    expect(searching.llmRequestForAgent).toMatchObject({
      modelId: 'search-model',
      webSearchEnabled: true,
      messages: [{ role: 'system' }, { role: 'user', content: '{"query":"weather"}' }],
    });
    expect(searching.llmRequestForAgent.tools).toBeUndefined();
    const coding = of('You write code.');
    expect(coding.llmRequestForAgent.messages[1]).toEqual({ role: 'user', content: 'a script' });
    // In the other order, on the other replica.
    await fixture.answer(coding.interactionId, { text: 'print(1)' }, 0);
    const next = await fixture.answer(searching.interactionId, { text: 'Sunny.' }, 1);
    expect(next.pending.llmRequestForAgent.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'web_search', arguments: '{"query":"weather"}' },
          },
          {
            id: 'call_2',
            type: 'function',
            function: { name: 'coder', arguments: '{"message":"a script"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
      { role: 'tool', tool_call_id: 'call_2', content: 'print(1)' },
    ]);
    const { result } = await fixture.answer(next.pending.interactionId, { text: 'It is sunny.' });
    expect(result.response).toBe('It is sunny.');
    expect(result.functionCalls).toMatchObject([
      { name: 'web_search', arguments: { query: 'weather' }, result: 'Sunny.', repeated: false },
      { name: 'coder', result_str: 'print(1)' },
    ]);
  });
});

describe('a specialist', () => {
  const primaryGoesOn = async (name: string, args: unknown, during: () => Promise<void> = async () => {}) => {
    const asked = await fixture.ask(`Uses ${name}`);
    await during();
    const outcome = await fixture.answer(asked.interactionId, calling({ name, arguments: args }));
    return { asked, outcome };
  };
  const told = (outcome: AnyJson) => outcome.pending.llmRequestForAgent.messages.at(-1);

  test('that nobody has is an error result [unknown-tool]', async () => {
    const { outcome } = await primaryGoesOn('nobody', {});
    expect(told(outcome)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
    expect(told(outcome).content).toContain("There is no function 'nobody'");
  });

  test('that was disabled meanwhile is an error result [specialist-not-active]', async () => {
    const coder = { id: 'coder', name: 'Coder', instructions: 'You write code.' };
    const { outcome } = await primaryGoesOn('coder', { message: 'x' }, () =>
      fixture.putAgent({ ...coder, enabled: false }),
    );
    expect(told(outcome).content).toContain("The agent 'coder' is disabled");
    const { llmRequestForAgent } = await fixture.ask('Who is there?');
    expect(llmRequestForAgent.tools.map((tool: AnyJson) => tool.function.name)).toEqual(['web_search']);
    await fixture.putAgent(coder);
  });

  test('that was deleted meanwhile is an error result without a route of REST', async () => {
    await fixture.putAgent({ id: 'passing', name: 'Passing', instructions: 'You pass.' });
    const { outcome } = await primaryGoesOn('passing', { message: 'x' }, () =>
      fixture.deleteAgent('passing'),
    );
    expect(told(outcome).content).toBe("Error: There is no agent 'passing' any more.");
  });

  test('that was changed meanwhile takes the arguments of its new version, whose instructions it has', async () => {
    const parameters = (field: string) => ({
      type: 'object',
      properties: { [field]: { type: 'string' } },
      required: [field],
      additionalProperties: false,
    });
    const put = (instructions: string, field: string) =>
      fixture.putAgent({ id: 'mover', name: 'Mover', instructions, parameters: parameters(field) });
    await put('Old.', 'old');
    const fitting = await primaryGoesOn('mover', { new: 'x' }, () => put('New.', 'new'));
    expect(fitting.outcome.pending.llmRequestForAgent.messages).toEqual([
      { role: 'system', content: 'New.' },
      { role: 'user', content: '{"new":"x"}' },
    ]);
    await put('Old.', 'old');
    const misfit = await primaryGoesOn('mover', { old: 'x' }, () => put('New.', 'new'));
    const { content } = told(misfit.outcome);
    expect(content).toContain("The arguments of 'mover' do not fit its parameters: ");
    expect(content).toContain('They were changed, and are now {"additionalProperties":false');
    expect(content).toContain('"required":["new"]');
    await fixture.deleteAgent('mover');
  });

  test('whose arguments do not fit its parameters is an error result that says so', async () => {
    const { outcome } = await primaryGoesOn('web_search', { q: 1 });
    expect(told(outcome).content).toMatch(/arguments of 'web_search' do not fit/);
  });

  test('that fails is an error result with its reason', async () => {
    const { asked } = await primaryGoesOn('coder', { message: 'x' });
    const [pending] = await fixture.pendingOf(asked.taskId);
    const agentLLMResponse = { status: 'error', errorDetails: { type: 'refused', message: 'no money' } };
    const reply = await fixture.call('agent_llm', {
      interactionId: pending.interactionId,
      agentLLMResponse,
      waitMs: 20_000,
    });
    expect(told(reply.outcome).content).toContain('no money');
  });

  test('has 30 s from when its request was shown [tool-timeout]', async () => {
    const { asked } = await primaryGoesOn('coder', { message: 'slow' });
    const before = Date.now();
    const [pending] = await fixture.pendingOf(asked.taskId);
    expect(Date.parse(pending.expiresAt)).toBeGreaterThanOrEqual(before + 29_000);
    expect(Date.parse(pending.expiresAt)).toBeLessThanOrEqual(Date.now() + 31_000);
  });

  test('is not begun for by whoever else reads the task, nor where a directive only names it', async () => {
    const key = await fixture.baton.createKey({ scopes: ['agent'], principal: 'dashboard' });
    const headers = { authorization: `Bearer ${key}` };
    const read = async (path: string) =>
      (await (await fetch(`${fixture.baton.url()}/v1${path}`, { headers })).json()) as AnyJson;
    const left = ({ expiresAt }: AnyJson) => Date.parse(expiresAt) - Date.now();
    const second = await fixture.ask('Search and code');
    const data = calling(search('x'), code('y'));
    const agentLLMResponse = { status: 'success', data };
    await fixture.call('agent_llm', { interactionId: second.interactionId, agentLLMResponse, waitMs: 0 });
    const { taskId } = second;
    const waiting = await vi.waitFor(async () => {
      const { interactions } = await read(`/interactions?status=pending`);
      const own = interactions.filter((one: AnyJson) => one.taskId === taskId);
      expect(own).toHaveLength(2);
      return own;
    }, 10_000);
    for (const { interactionId } of waiting) await read(`/interactions/${interactionId}`);
    await read(`/tasks/${taskId}`);
    const dashboard = await connectMcpClient(fixture.baton.url(), key);
    expect((await callTool(dashboard, 'task_status', { taskId })).pending.llmRequestForAgent).toBeDefined();
    await dashboard.close();
    const listed = async () =>
      (await read(`/interactions?status=pending`)).interactions.filter(
        (one: AnyJson) => one.taskId === taskId,
      );
    for (const one of await listed()) expect(left(one)).toBeGreaterThan(60_000);
    const { pending } = await fixture.call('task_status', { taskId });
    expect(left(pending)).toBeLessThanOrEqual(30_000);
    const begun = (await listed()).filter((one: AnyJson) => left(one) <= 30_000);
    expect(begun.map(({ interactionId }: AnyJson) => interactionId)).toEqual([pending.interactionId]);
  });

  test('has its time from a claim of its request, and a list of it never starts that', async () => {
    const asked = await fixture.ask('Ask the coder later');
    const agentLLMResponse = {
      status: 'success',
      data: calling({ name: 'coder', arguments: { message: 'x' } }),
    };
    await fixture.call('agent_llm', { interactionId: asked.interactionId, agentLLMResponse, waitMs: 0 });
    const list = async (more: object) => {
      const { interactions } = await fixture.call('pending_interactions', more);
      return interactions.find(({ taskId }: AnyJson) => taskId === asked.taskId);
    };
    const left = ({ expiresAt }: AnyJson) => Date.parse(expiresAt) - Date.now();
    const listed = await vi.waitFor(async () => {
      const found = await list({ requests: true });
      expect(found.llmRequestForAgent.messages[0].content).toBe('You write code.');
      return found;
    }, 10_000);
    const headers = { authorization: `Bearer ${fixture.baton.apiKey}` };
    const reply = await fetch(`${fixture.baton.url()}/v1/interactions?status=pending`, { headers });
    const overRest = ((await reply.json()) as AnyJson).interactions.find(
      ({ taskId }: AnyJson) => taskId === asked.taskId,
    );
    for (const one of [listed, await list({ requests: true }), await list({}), overRest])
      expect(left(one)).toBeGreaterThan(60_000);

    const claim = { max: 50, leaseMs: 1_000 };
    const claimed = left(await list({ claim }));
    expect(claimed).toBeLessThanOrEqual(30_000);
    expect(left(await list({ requests: true })), 'the time that runs is listed').toBeLessThanOrEqual(claimed);
  });

  test('that does not answer in time is an error result, and the conversation goes on', async () => {
    await fixture.putAgent({ id: 'slow', name: 'Slow', instructions: 'You are slow.', timeoutMs: 1_000 });
    const asked = await fixture.ask('Ask the slow one');
    const outcome = await fixture.answer(
      asked.interactionId,
      calling({ name: 'slow', arguments: { message: 'x' } }),
    );
    // The outcome has shown the request, so its time runs.
    const late = await fixture.call('task_status', { taskId: asked.taskId, waitMs: 20_000 });
    const status =
      late.pending.interactionId === outcome.pending.interactionId
        ? await fixture.waitForOther(asked.taskId, outcome.pending.interactionId)
        : late;
    expect(told(status).content).toBe("Error: The agent 'slow' did not answer in time.");
  });
});

describe('a conversation', () => {
  test('goes on with its earlier messages, function calls included, whose ids stay distinct', async () => {
    const first = await fixture.ask('Search twice');
    const step = await fixture.answer(first.interactionId, calling(search('one')));
    const after = await fixture.answer(step.pending.interactionId, { text: 'Found one.' });
    const ended = await fixture.answer(after.pending.interactionId, { text: 'One.' });
    const { conversationId } = ended.result;

    const second = await fixture.ask('And again', conversationId, 1);
    expect(second.llmRequestForAgent.messages.map(({ role }: AnyJson) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    const again = await fixture.answer(second.interactionId, calling(search('one')));
    const found = await fixture.answer(again.pending.interactionId, { text: 'Found two.' });
    const { result } = await fixture.answer(found.pending.interactionId, { text: 'Two.' });
    expect(result).toMatchObject({ conversationId, response: 'Two.' });

    const third = await fixture.ask('What was it?', conversationId);
    const ids = third.llmRequestForAgent.messages.flatMap((message: AnyJson) =>
      (message.tool_calls ?? []).map(({ id }: AnyJson) => id),
    );
    expect(new Set(ids).size).toBe(2);
    const answered = third.llmRequestForAgent.messages.filter(({ role }: AnyJson) => role === 'tool');
    expect(answered.map(({ tool_call_id: id }: AnyJson) => id)).toEqual(ids);
  });

  test('takes two messages at once one after the other', async () => {
    const { conversationId } = await completed('Begin');
    const [one, two] = [
      await fixture.ask('One', conversationId, 0),
      fixture.call('ask_assistant', { message: 'Two', conversationId }, 1),
    ];
    await fixture.answer(one.interactionId, { text: 'First.' });
    const asked = await two;
    const contents = asked.llmRequestForAgent.messages.map(({ content }: AnyJson) => content);
    expect(contents.slice(1)).toEqual(['Begin', 'answer', 'One', 'First.', 'Two']);
  });

  test('stays as it was after a turn that failed, and can be used', async () => {
    const { conversationId } = await completed('Begin');
    const failing = await fixture.ask('Fails', conversationId);
    const agentLLMResponse = { status: 'error', errorDetails: { type: 'refused', message: 'no' } };
    const { interactionId } = failing;
    const reply = await fixture.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
    expect(reply.outcome.status).toBe('failed');
    const next = await fixture.ask('Works', conversationId);
    expect(next.llmRequestForAgent.messages.map(({ content }: AnyJson) => content).slice(1)).toEqual([
      'Begin',
      'answer',
      'Works',
    ]);
  });

  test('of an id that is none is refused with the way out', async () => {
    const none = '00000000-0000-8000-8000-000000000000';
    const error = await callToolForError(fixture.clients[0]!, 'ask_assistant', {
      message: 'x',
      conversationId: none,
    });
    expect(error).toMatchObject({ code: 'conversation_not_found', conversationId: none });
    const unreadable = { message: 'x', conversationId: 'mine' };
    expect(await callToolForError(fixture.clients[0]!, 'ask_assistant', unreadable)).toMatchObject({
      code: 'invalid_arguments',
      field: 'conversationId',
    });
  });

  async function completed(message: string): Promise<AnyJson> {
    const asked = await fixture.ask(message);
    return (await fixture.answer(asked.interactionId, { text: 'answer' })).result;
  }
});
