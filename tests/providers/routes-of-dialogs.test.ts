import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { type AnyJson, connectMcpClient } from '../harness/mcp-client.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** Dialogs over LLM endpoints: tools of callers, functions of prompts, specialists, hints, and routes that follow each other. */
let fixture: ProviderFixture;
beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 1, lifetimes: { interaction: 1_500 } });
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

describe.each(['openai', 'anthropic'] as const)('over %s', (kind) => {
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
    const sent = JSON.stringify(bodyAbout(topic).messages);
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

  test('a prompt is answered with its functions, and its hints, which name servers of others, are sent to no endpoint', async () => {
    const prompt = {
      name: 'hinted',
      text: `hinted over ${kind}`,
      hints: {
        webSearch: true,
        computerUse: { displayWidth: 800, displayHeight: 600, environment: 'browser' },
        mcpServers: [{ name: 'docs', url: 'https://mcp.example.com/sse' }],
      },
    };
    const put = await fixture.rest('PUT', '/prompts/hinted', prompt);
    expect([put.status, put.body]).toEqual([expect.toSatisfy((status: number) => status < 300), put.body]);
    expect(await fixture.call('call_prompt', { name: 'hinted' })).toMatchObject({
      status: 'completed',
      response: `answer to hinted over ${kind}`,
    });
    const body = bodyAbout(`hinted over ${kind}`);
    expect(JSON.stringify(body)).not.toContain('mcp.example.com');
    expect(body).not.toHaveProperty('hints');
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
