import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';
import { ENVELOPE, requestOf2026, REVISION } from './client-of-2026.ts';
import { connectSamplingClient, sampled } from './sampling-client.ts';

/** Calls that ask their client within themselves (MCP 2026-07-28, basic/patterns/mrtr), over two replicas. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(async () => baton?.stop());

const metaOf = (sampling: object | undefined, more: object = {}) => ({
  ...ENVELOPE,
  'io.modelcontextprotocol/clientCapabilities': sampling === undefined ? {} : { sampling },
  ...more,
});
const SAMPLING = metaOf({});

let turn = 0;
/** Each request goes to the other replica. */
const post = (
  params: AnyJson,
  { key = baton.apiKey, meta = SAMPLING as AnyJson, method = 'tools/call' } = {},
) => requestOf2026(baton.url(turn++ % 2), key, method, params, { meta });
const resultOf = async (...given: Parameters<typeof post>) => {
  const { body } = await post(...given);
  if (body.error !== undefined) throw new Error(JSON.stringify(body.error));
  return body.result;
};
const errorOf = async (...given: Parameters<typeof post>) => (await post(...given)).body.error;

const echo = (text: string) => ({ name: 'bench_echo', arguments: { text } });
const fan = (n: number) => ({ name: 'bench_fan', arguments: { n } });
const keysOf = (asked: AnyJson): string[] => Object.keys(asked.inputRequests ?? {});
const answersTo = (keys: readonly string[], value: (key: string) => unknown = () => ({ value: 'v' })) =>
  Object.fromEntries(keys.map((key) => [key, sampled(value(key))]));

const repeated = (call: AnyJson, { requestState }: AnyJson, inputResponses?: AnyJson) => ({
  ...call,
  requestState,
  ...(inputResponses === undefined ? {} : { inputResponses }),
});

describe('the official client', () => {
  test.each([
    ['that negotiates', 'auto'],
    [`that is pinned to ${REVISION}`, { pin: REVISION }],
  ] as const)('%s does whole operations behind a proxy without affinity', async (_, mode) => {
    const proxy = await RoundRobinProxy.start(() => [baton.url(0), baton.url(1)]);
    const prompts: string[] = [];
    const client = await connectSamplingClient(
      proxy.url,
      baton.apiKey,
      mode,
      ({ messages, systemPrompt }) => {
        prompts.push(`${systemPrompt} ${messages[0].content.text}`);
        return sampled({
          value: 'from the client',
          title: 'A well',
          description: 'Dig a well.',
          details: 'Deep.',
          testStrategy: 'Look.',
        });
      },
    );
    const done: AnyJson = await client.callTool({ name: 'add_task', arguments: { prompt: 'Dig a well' } });
    expect(done.structuredContent).toMatchObject({ status: 'completed', operation: 'add_task' });
    expect(prompts[0]).toContain('Dig a well');
    expect(done.content.at(-1)).toMatchObject({ type: 'resource_link' });
    const fanned: AnyJson = await client.callTool(fan(7));
    expect(fanned.structuredContent.values).toEqual(Array.from({ length: 7 }, () => 'from the client'));
    expect(prompts.length).toBe(8);
    await client.close();
    await proxy.stop();
  });
});

describe('a call', () => {
  test('asks for everything at once, goes on with what was answered, and asks for what is missing', async () => {
    const first = await resultOf(fan(5));
    expect(first.resultType).toBe('input_required');
    const keys = keysOf(first);
    expect(keys.length).toBe(5);
    const some = keys.slice(0, 2);
    const second = await resultOf(
      repeated(
        fan(5),
        first,
        answersTo(some, () => ({ value: 'early' })),
      ),
    );
    expect(keysOf(second)).toEqual(keys.slice(2));
    const third = await resultOf(repeated(fan(5), second, answersTo(keys.slice(2))));
    expect(third).toMatchObject({
      resultType: 'complete',
      structuredContent: { status: 'completed', values: ['early', 'early', 'v', 'v', 'v'] },
    });
  });

  test('without answers asks for the same again, and ignores answers to what it has not asked', async () => {
    const first = await resultOf(echo('a'));
    const [key = ''] = keysOf(first);
    const other = await resultOf(echo('b'));
    const [foreign = ''] = keysOf(other);
    const strangers = [
      undefined,
      {},
      { wrong: sampled('x') },
      answersTo([foreign]),
      answersTo([key.replace(/1$/, '2')]),
    ];
    for (const responses of strangers) {
      const again = await resultOf(repeated(echo('a'), first, responses));
      expect(again.inputRequests).toEqual(first.inputRequests);
    }
    expect(keysOf(await resultOf(repeated(echo('b'), other)))).toEqual([foreign]);
    await resultOf(repeated(echo('a'), first, answersTo([key])));
  });

  test('asks again under another key where an answer does not fit, and tells what is wrong', async () => {
    const first = await resultOf(echo('a'));
    const wrong = answersTo(keysOf(first), () => 'no JSON');
    const second = await resultOf(repeated(echo('a'), first, wrong));
    expect(keysOf(second)).not.toEqual(keysOf(first));
    const [asked]: AnyJson[] = Object.values(second.inputRequests);
    expect(JSON.stringify(asked.params.messages)).toContain('JSON');
    // The reply was lost: the same state with the same answers gives the turn that it is now.
    expect((await resultOf(repeated(echo('a'), first, wrong))).inputRequests).toEqual(second.inputRequests);
    const done = await resultOf(repeated(echo('a'), second, answersTo(keysOf(second))));
    expect(done.structuredContent).toMatchObject({ status: 'completed', value: 'v' });
  });

  test('counts an answer once: repeated it gives the same result, another is refused', async () => {
    const first = await resultOf(echo('a'));
    const right = answersTo(keysOf(first), () => ({ value: 'right' }));
    const all = await Promise.all(
      Array.from({ length: 6 }, () => resultOf(repeated(echo('a'), first, right))),
    );
    for (const one of all) expect(one.structuredContent.value).toBe('right');
    const error = await errorOf(
      repeated(
        echo('a'),
        first,
        answersTo(keysOf(first), () => ({ value: 'other' })),
      ),
    );
    expect(error).toMatchObject({ code: -32602, data: { code: 'interaction_already_answered' } });
    expect((await resultOf(repeated(echo('a'), first))).structuredContent.value).toBe('right');
  });

  test('with another answer to one of its requests than the principal gave elsewhere is refused whole, whichever that is', async () => {
    const client = await connectMcpClient(baton.url(1), baton.apiKey);
    for (const refused of [0, 1, 2]) {
      const first = await resultOf(fan(3));
      const keys = keysOf(first);
      const interactionId = keys[refused];
      const agentLLMResponse = successAnswer({ object: { value: 'elsewhere' } });
      await callTool(client, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
      const error = await errorOf(repeated(fan(3), first, answersTo(keys)));
      expect(error).toMatchObject({
        code: -32602,
        data: { code: 'interaction_already_answered', interactionId },
      });
      const left = keys.filter((key) => key !== interactionId);
      const second = await resultOf(repeated(fan(3), first));
      expect(keysOf(second)).toEqual(left);
      // What the principal did not answer otherwise is taken of the same state still.
      const done = await resultOf(repeated(fan(3), first, answersTo(left)));
      expect(done.structuredContent.values.toSorted()).toEqual(['elsewhere', 'v', 'v']);
    }
    await client.close();
  });

  test('goes on where another dialect has answered', async () => {
    const first = await resultOf(echo('a'));
    const [interactionId] = keysOf(first);
    const client = await connectMcpClient(baton.url(1), baton.apiKey);
    await callTool(client, 'agent_llm', {
      interactionId,
      agentLLMResponse: successAnswer({ object: { value: 'elsewhere' } }),
    });
    await client.close();
    expect((await resultOf(repeated(echo('a'), first))).structuredContent.value).toBe('elsewhere');
  });

  test('goes on with what another principal answered first, whatever it is answered with now', async () => {
    const first = await resultOf(echo('a'));
    const [interactionId = ''] = keysOf(first);
    const agent = await connectMcpClient(baton.url(1), await baton.createKey({ scopes: ['agent'] }));
    const agentLLMResponse = successAnswer({ object: { value: 'elsewhere' } });
    await callTool(agent, 'agent_llm', { interactionId, agentLLMResponse });
    await agent.close();
    const late = answersTo(keysOf(first), () => ({ value: 'late' }));
    expect((await resultOf(repeated(echo('a'), first, late))).structuredContent.value).toBe('elsewhere');
  });

  test('ends in the error of its task', async () => {
    const call = { name: 'bench_poison', arguments: { text: 'a' } };
    const first = await resultOf(call);
    const failed = await resultOf(repeated(call, first, answersTo(keysOf(first))));
    expect(failed).toMatchObject({
      resultType: 'complete',
      isError: true,
      structuredContent: { error: { code: 'internal' } },
    });
    const asked = await resultOf(echo('a'));
    const client = await connectMcpClient(baton.url(1), baton.apiKey);
    await callTool(client, 'cancel_task', {
      taskId: asked._meta['io.modelcontextprotocol/related-task'].taskId,
    });
    await client.close();
    const cancelled = await resultOf(repeated(echo('a'), asked, answersTo(keysOf(asked))));
    expect(cancelled).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'task_cancelled' } },
    });
  });
});

describe('a requestState', () => {
  test('is refused unless it is that of this call, whoever shows it', async () => {
    const first = await resultOf(echo('a'));
    const { requestState } = first;
    const mallory = await baton.createKey({ principal: 'mallory' });
    const stranger = await baton.addTenant('strangers');
    const agent = await baton.createKey({ principal: 'helper', scopes: ['mcp', 'agent'] });
    const call = repeated(echo('a'), first, answersTo(keysOf(first)));
    const changed = requestState.slice(0, -2) + (requestState.endsWith('AA') ? 'BB' : 'AA');
    const cases: Record<string, Parameters<typeof post>> = {
      'of another principal': [call, { key: mallory }],
      'of another principal that may answer for all': [call, { key: agent }],
      'of another tenant': [call, { key: stranger }],
      changed: [{ ...call, requestState: changed }],
      truncated: [{ ...call, requestState: requestState.slice(0, 40) }],
      empty: [{ ...call, requestState: '' }],
      oversized: [{ ...call, requestState: requestState + 'A'.repeat(100_000) }],
      'no text': [{ ...call, requestState: { a: 1 } }],
      'of other arguments': [{ ...call, arguments: { text: 'b' } }],
      'of another tool': [{ ...call, name: 'bench_poison' }],
    };
    for (const [name, given] of Object.entries(cases)) {
      const error = await errorOf(...given);
      expect([name, error?.code, error?.data?.field]).toEqual([name, -32602, 'requestState']);
    }
    // Nothing of it was taken.
    expect(keysOf(await resultOf(repeated(echo('a'), first)))).toEqual(keysOf(first));
    expect((await resultOf(call)).structuredContent.value).toBe('v');
  });

  test('takes other _meta, and arguments in another order', async () => {
    const call = { name: 'bench_echo', arguments: { text: 'a', schemaHint: 'h' } };
    const first = await resultOf(call);
    const turned = { ...call, arguments: { schemaHint: 'h', text: 'a' }, _meta: { other: 1 } };
    expect((await resultOf(repeated(turned, first, answersTo(keysOf(first))))).structuredContent.value).toBe(
      'v',
    );
  });

  test('expires when nothing of its task can be read any more', async () => {
    const short = await InProcessDeployment.start({ gateways: 1, lifetimes: { task: 300, retention: 100 } });
    const send = (params: AnyJson) =>
      requestOf2026(short.url(), short.apiKey, 'tools/call', params, { meta: SAMPLING });
    const { result } = (await send(echo('a'))).body;
    await expect
      .poll(async () => (await send(repeated(echo('a'), result))).body.error?.message, { timeout: 10_000 })
      .toContain('requestState has expired');
    await short.stop();
  });
});

describe('an answer', () => {
  test.each([
    ['a number', 12_345],
    ['null', null],
    ["an elicitation's", { action: 'accept', content: { value: 'v' } }],
    ['without content', { role: 'assistant', model: 'm' }],
    ['without blocks', { role: 'assistant', model: 'm', content: [] }],
  ])('that is none is refused with its key: %s', async (_, response) => {
    const first = await resultOf(fan(2));
    const [one = '', other = ''] = keysOf(first);
    const error = await errorOf(
      repeated(fan(2), first, { [one]: sampled({ value: 'v' }), [other]: response }),
    );
    expect(error).toMatchObject({
      code: -32602,
      data: { code: 'invalid_arguments', field: `inputResponses.${other}` },
    });
    // Nothing was taken, not even what fits.
    expect(keysOf(await resultOf(repeated(fan(2), first)))).toEqual([one, other]);
  });

  test.each([[[]], ['text'], [7]])('responses that are no object are refused: %j', async (inputResponses) => {
    const first = await resultOf(echo('a'));
    const error = await errorOf({ ...repeated(echo('a'), first), inputResponses });
    expect(error).toMatchObject({ code: -32602, data: { field: 'inputResponses' } });
  });

  test('counts against the rate, however many one request brings', async () => {
    const limits = { requestsPerSecond: 1, burst: 2 };
    const slow = await InProcessDeployment.start({ gateways: 1, workers: 1, limits });
    const send = (params: AnyJson) =>
      requestOf2026(slow.url(), slow.apiKey, 'tools/call', params, { meta: SAMPLING });
    let reply = await send(fan(64));
    const refusals: unknown[] = [];
    // Each request is one call, and brings eight answers.
    for (let turns = 0; turns < 8 && refusals.length === 0; turns++) {
      const { result } = reply.body;
      reply = await send(repeated(fan(64), result, answersTo(keysOf(result))));
      if (reply.body.error !== undefined) refusals.push(reply.status, reply.body.error.data.code);
    }
    expect(refusals).toEqual([429, 'limit_rate']);
    await slow.stop();
  });

  test('to an interaction that has expired is told how the task stands', async () => {
    const short = await InProcessDeployment.start({
      gateways: 1,
      workers: 1,
      lifetimes: { interaction: 300 },
    });
    const send = async (params: AnyJson) =>
      (await requestOf2026(short.url(), short.apiKey, 'tools/call', params, { meta: SAMPLING })).body;
    const { result } = await send(echo('a'));
    await expect
      .poll(async () => (await send(repeated(echo('a'), result))).result?.isError, { timeout: 10_000 })
      .toBe(true);
    const late = await send(repeated(echo('a'), result, answersTo(keysOf(result))));
    expect(late.result.structuredContent.error.code).toBe('interaction_expired');
    await short.stop();
  });
});

describe('the dialect', () => {
  const isDirective = ({ resultType, structuredContent }: AnyJson) =>
    resultType === 'complete' && structuredContent.status === 'pending_agent_llm_action';

  test('follows the capabilities of each request, and what its _meta says', async () => {
    expect(isDirective(await resultOf(echo('a'), { meta: metaOf(undefined) }))).toBe(true);
    expect(isDirective(await resultOf(echo('a'), { meta: metaOf({}, { 'baton/dialect': 'tool' }) }))).toBe(
      true,
    );
    const first = await resultOf(echo('a'), { meta: metaOf({}, { 'baton/dialect': 'input_required' }) });
    expect(first.resultType).toBe('input_required');
    // Repeated without the capability, the call shows what still waits as any client can take it.
    const shown = await resultOf(repeated(echo('a'), first), { meta: metaOf(undefined) });
    expect(isDirective(shown)).toBe(true);
    expect(shown.structuredContent.interactionId).toBe(keysOf(first)[0]);
  });

  test('is refused where the client lacks the capability, or there is none of the name', async () => {
    const lacking = await post(echo('a'), { meta: metaOf(undefined, { 'baton/dialect': 'input_required' }) });
    expect(lacking.status).toBe(400);
    expect(lacking.body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
    const unknown = await post(echo('a'), { meta: metaOf({}, { 'baton/dialect': 'smoke signals' }) });
    expect(unknown.body.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('"smoke signals"'),
    });
  });

  const withTools = {
    name: 'agent_llm',
    arguments: {
      delegatedCallDetails: {
        originalCommand: 'test',
        serviceType: 'generateText',
        requestParameters: {
          messages: [{ role: 'user', content: 'What is the weather?' }],
          tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
          toolChoice: 'auto',
        },
      },
    },
  };

  test('shows tools only to clients that take them', async () => {
    expect(isDirective(await resultOf(withTools))).toBe(true);
    const meta = metaOf({ tools: {} });
    const asked = await resultOf(withTools, { meta });
    const [key = ''] = keysOf(asked);
    expect(asked.inputRequests[key].params).toMatchObject({
      tools: [{ name: 'weather', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' },
    });
    const use = { type: 'tool_use', id: 'call-1', name: 'weather', input: { city: 'Bern' } };
    const response = { role: 'assistant', model: 'm', stopReason: 'toolUse', content: [use] };
    const done = await resultOf(repeated(withTools, asked, { [key]: response }), { meta });
    expect(JSON.stringify(done.structuredContent)).toContain('Bern');
  });
});
