import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { type AnyJson, connectMcpClient } from '../harness/mcp-client.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** Dialogs over LLM endpoints: tools of callers, functions of prompts, specialists, hints for the model's own tools, and routes that follow each other. */
let fixture: ProviderFixture;
beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 1, lifetimes: { interaction: 5_000 } });
  for (const [id, more] of [
    ['assistant', { isPrimary: true }],
    ['coder', { description: 'Writes code' }],
  ] as const) {
    const agent = { id, name: id, instructions: `You are ${id}.`, ...more };
    await fixture.rest('PUT', `/agents/${id}`, agent);
  }
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  fixture.llm.behaviour = () => VALID_ANSWER;
});

const bodyAbout = (topic: string): AnyJson => fixture.llm.callsAbout(topic).at(-1)?.body;

describe.each(['openai', 'openai-responses', 'anthropic'] as const)('over %s', (kind) => {
  beforeAll(async () => void (await fixture.putRole('main', { routes: [fixture.route({ kind })] })));

  test("a caller's own tools reach the endpoint, its calls go back to the caller, and their results to the endpoint", async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
    const topic = `tools over ${kind}`;
    const asked = { role: 'user', content: topic };
    const ask = (messages: object[]) =>
      fixture.call('agent_llm', {
        delegatedCallDetails: {
          originalCommand: 'x',
          serviceType: 'generateText',
          requestParameters: { messages, tools },
        },
      });
    fixture.llm.behaviour = ({ attempt }) =>
      attempt === 1
        ? { do: 'say', text: '', toolCalls: [{ id: 'call-1', name: 'weather', arguments: { city: 'Oslo' } }] }
        : { do: 'say', text: 'Rain.' };
    const called = await ask([asked]);
    expect(called).toMatchObject({ status: 'completed', toolCalls: [{ id: 'call-1', name: 'weather' }] });
    const turn = {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ],
    };
    const result = { role: 'tool', tool_call_id: 'call-1', content: '7 mm' };
    expect(await ask([asked, turn, result])).toMatchObject({ status: 'completed', response: 'Rain.' });
    const sent = JSON.stringify(bodyAbout(topic));
    expect(sent).toContain('call-1');
    expect(sent).toContain('7 mm');
  });

  test('ask_assistant has its specialist asked at the endpoint too, and the primary goes on with what it said', async () => {
    const message = `delegate over ${kind}`;
    fixture.llm.behaviour = ({ system, messages }) => {
      if (system.includes('You are coder')) return { do: 'say', text: 'print(1)' };
      return JSON.stringify(messages).includes('print(1)')
        ? { do: 'say', text: 'Here it is: print(1)' }
        : { do: 'say', text: '', toolCalls: [{ id: 'c1', name: 'coder', arguments: { message: 'one' } }] };
    };
    const reply = await fixture.call('ask_assistant', { message });
    expect(reply).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(reply)).toContain('Here it is: print(1)');
    expect(fixture.llm.calls.filter(({ system }) => system.includes('You are coder')).length).toBeGreaterThan(
      0,
    );
  });

  test('a dialog goes on after blank words and a call of a function that the model made up', async () => {
    const message = `made up over ${kind}`;
    const toolCalls = [{ id: 'call:1/x', name: 'functions.coder', arguments: { message: 'one' } }];
    fixture.llm.behaviour = ({ attempt }) =>
      attempt === 1 ? { do: 'say', text: '\n\n', toolCalls } : { do: 'say', text: 'By myself, then.' };
    expect(await fixture.call('ask_assistant', { message })).toMatchObject({
      status: 'completed',
      response: 'By myself, then.',
    });
    expect(fixture.llm.countCalls(message)).toBe(2);
  });

  const hints = {
    webSearch: true,
    computerUse: { displayWidth: 800, displayHeight: 600, environment: 'browser' },
    mcpServers: [{ name: 'docs', url: 'https://mcp.example.com/sse', allowedTools: ['read'] }],
  };

  test('the hints of a prompt reach the endpoint as its API has them, and the result names those that it has no way to take', async () => {
    const text = `hinted over ${kind}`;
    const put = await fixture.rest('PUT', '/prompts/hinted', { name: 'hinted', text, hints });
    expect([put.status, put.body]).toEqual([expect.toSatisfy((status: number) => status < 300), put.body]);
    const reply = await fixture.call('call_prompt', { name: 'hinted' });
    expect(reply).toMatchObject({ status: 'completed', response: `answer to ${text}` });
    const body = bodyAbout(text);
    expect(body).not.toHaveProperty('hints');
    if (kind === 'openai') {
      expect(body).toMatchObject({ web_search_options: {} });
      expect(body).not.toHaveProperty('tools');
      expect(reply.attempts).toEqual([
        { number: 1, route: 0, end: 'accepted', unsupportedHints: ['computerUse', 'mcpServers'] },
      ]);
      return;
    }
    if (kind === 'openai-responses') {
      expect(body).toMatchObject({ store: false });
      expect(body.tools).toMatchObject([
        { type: 'web_search' },
        {
          type: 'mcp',
          server_label: 'docs',
          server_url: 'https://mcp.example.com/sse',
          allowed_tools: ['read'],
          require_approval: 'never',
        },
      ]);
      expect(reply.attempts[0].unsupportedHints).toEqual(['computerUse']);
      return;
    }
    expect(body.tools).toMatchObject([
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
    ]);
    expect(body.mcp_servers).toMatchObject([
      { type: 'url', name: 'docs', url: 'https://mcp.example.com/sse' },
    ]);
    expect(JSON.stringify(body.mcp_servers)).toContain('"read"');
    expect(fixture.llm.callsAbout(text).at(-1)?.headers['anthropic-beta']).toMatch(/mcp-client/);
    expect(reply.attempts).toEqual([{ number: 1, route: 0, end: 'accepted' }]);
  });

  test('hints that a caller writes into a request of its own reach no endpoint', async () => {
    const topic = `own hints over ${kind}`;
    const tools = [
      { type: 'web_search' },
      { type: 'mcp', server_label: 'x', server_url: 'https://x.example' },
    ];
    const reply = await fixture.call('agent_llm', {
      delegatedCallDetails: {
        originalCommand: 'x',
        role: 'main',
        serviceType: 'generateText',
        requestParameters: { messages: [{ role: 'user', content: topic }], hints: { responses: { tools } } },
      },
    });
    expect(reply).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(bodyAbout(topic))).not.toMatch(/web_search|x\.example/);
  });

  test('a function of the name of a hinted tool takes its place, and a specialist says what its model did not get', async () => {
    const parameters = { type: 'object', properties: {} };
    const text = `taken names over ${kind}`;
    const functions = [{ name: 'computer', parameters }];
    await fixture.rest('PUT', '/prompts/taken', { name: 'taken', text, functions, hints });
    const { attempts } = await fixture.call('call_prompt', { name: 'taken' });
    expect(attempts[0].unsupportedHints).toEqual(
      kind === 'openai' ? ['computerUse', 'mcpServers'] : ['computerUse'],
    );

    const searcher = {
      id: 'searcher',
      name: 'searcher',
      instructions: 'You are searcher.',
      description: 'Looks',
    };
    const extended = { ...searcher, webSearchEnabled: true, mcpExtensions: ['files'] };
    expect((await fixture.rest('PUT', '/agents/searcher', extended)).status).toBeLessThan(300);
    const message = `search over ${kind}`;
    fixture.llm.behaviour = ({ system, messages }) => {
      if (system.includes('You are searcher')) return { do: 'say', text: 'found it' };
      return JSON.stringify(messages).includes('found it')
        ? { do: 'say', text: 'Here.' }
        : { do: 'say', text: '', toolCalls: [{ id: 'c1', name: 'searcher', arguments: { message: 'one' } }] };
    };
    const { functionCalls } = await fixture.call('ask_assistant', { message });
    expect(functionCalls).toMatchObject([{ name: 'searcher', unsupportedHints: ['mcpExtensions'] }]);
    const asked = fixture.llm.calls.filter(({ system }) => system.includes('You are searcher')).at(-1);
    expect(JSON.stringify(asked?.body)).toContain('web_search');
  });

  test('a hint that the endpoint refuses by name is left out of the repeated call, and the result says so', async () => {
    const text = `refused hints over ${kind}`;
    const refused = { do: 'refuse', status: 400, message: 'web_search is not supported' } as const;
    fixture.llm.behaviour = ({ body }) =>
      JSON.stringify(body).includes('web_search') ? refused : VALID_ANSWER;
    await fixture.rest('PUT', '/prompts/searching', { name: 'searching', text, hints: { webSearch: true } });
    const reply = await fixture.call('call_prompt', { name: 'searching' });
    expect(reply).toMatchObject({ status: 'completed', attempts: [{ unsupportedHints: ['webSearch'] }] });
    expect(fixture.llm.countCalls(text)).toBe(2);
  });
});

describe('two routes', () => {
  const own = { kind: 'agent', modelId: 'mine' };
  const answerAs = async (reply: object, text: string) => {
    const key = await fixture.baton.createKey({ scopes: ['agent', 'mcp'] });
    const agent = await connectMcpClient(fixture.baton.url(), key);
    const { interactionId } = await fixture.call('bench_echo', { text });
    const taken = await fixture.call(
      'agent_llm',
      { interactionId, agentLLMResponse: reply, waitMs: 20_000 },
      agent,
    );
    await agent.close();
    return taken;
  };

  test('agent and then endpoint: what no agent answers in time, the endpoint does', async () => {
    await fixture.putRole('main', { routes: [own, fixture.route()] });
    const { taskId, status } = await fixture.call('bench_echo', { text: 'nobody is there' });
    expect(status).toBe('pending_agent_llm_action');
    expect(fixture.llm.callsAbout('nobody is there')).toEqual([]);
    await expect
      .poll(() => fixture.call('task_status', { taskId }), { timeout: 15_000 })
      .toMatchObject({ status: 'completed', result: { value: 'answer to nobody is there' } });
    expect(fixture.llm.countCalls('nobody is there')).toBe(1);
  });

  test("agent and then endpoint: an agent's error for good is followed by the endpoint's answer", async () => {
    await fixture.putRole('main', { routes: [own, fixture.route()] });
    const error = { status: 'error', errorDetails: { type: 'billing_error', message: 'no credit' } };
    const { outcome } = await answerAs(error, 'agent fails');
    expect(outcome).toMatchObject({ status: 'completed', result: { value: 'answer to agent fails' } });
  });

  test('endpoint and then agent: an endpoint that asks to be left alone for long is not waited for', async () => {
    await fixture.putRole('main', { routes: [fixture.route(), own] });
    fixture.llm.behaviour = () => ({ do: 'refuse', status: 429, headers: { 'retry-after': '600' } });
    const { taskId } = await fixture.call('bench_echo', { text: 'busy for long' });
    await expect
      .poll(() => fixture.call('task_status', { taskId }))
      .toMatchObject({ status: 'input_required', pending: { llmRequestForAgent: { modelId: 'mine' } } });
    expect(fixture.llm.countCalls('busy for long')).toBe(1);
  });

  test('endpoint and then agent: whose answers never fit is followed by the agent, who is told what was wrong', async () => {
    await fixture.putRole('main', { routes: [fixture.route(), own] });
    fixture.llm.behaviour = () => ({ do: 'say', text: 'no JSON' });
    const { taskId } = await fixture.call('bench_echo', { text: 'never fits' });
    await expect
      .poll(() => fixture.call('task_status', { taskId }))
      .toMatchObject({
        status: 'input_required',
        pending: {
          attempt: 5,
          llmRequestForAgent: {
            modelId: 'mine',
            messages: [{}, { content: 'no JSON' }, { content: expect.stringContaining('not JSON') }],
          },
        },
      });
    expect(fixture.llm.countCalls('never fits')).toBe(4);
  });

  test('endpoint and then agent: what the endpoint does not answer before the deadline, an agent is asked', async () => {
    await fixture.putRole('main', { routes: [fixture.route(), own] });
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const { taskId } = await fixture.call('bench_echo', { text: 'endpoint hangs' });
    await expect
      .poll(() => fixture.call('task_status', { taskId }), { timeout: 15_000 })
      .toMatchObject({ status: 'input_required', pending: { llmRequestForAgent: { modelId: 'mine' } } });
    await expect.poll(() => fixture.llm.openCalls, { timeout: 8_000 }).toBe(0);
  });
});
