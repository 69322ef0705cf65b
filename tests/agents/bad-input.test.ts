import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { AgentsFixture } from './agents-fixture.ts';

/** Definitions, tags, logprobs, usage and prices that make no sense: each a clear error in its place, and what is stored goes on. */
let fixture: AgentsFixture;
let admin: string;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
  admin = await fixture.baton.createKey({ scopes: ['admin'] });
});
afterAll(() => fixture.stop());

async function rest(method: string, path: string, body?: object, replica = 0) {
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${fixture.baton.url(replica)}/v1${path}`, { method, headers, ...sent });
  return { status: response.status, body: (await response.json()) as AnyJson };
}

describe('agents of one id', () => {
  test('stored on two replicas at the same time are two versions, each of them whole', async () => {
    const definition = (by: number) => ({
      id: 'twin',
      name: `By ${by}`,
      instructions: `You are ${by}.`,
      description: `From ${by}`,
    });
    const replies = await Promise.all([0, 1].map((at) => rest('PUT', '/agents/twin', definition(at), at)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies.map(({ body }) => body.version as number).toSorted((a, b) => a - b)).toEqual([1, 2]);
    const newest = replies.findIndex(({ body }) => body.version === 2);
    const { body } = await rest('GET', '/agents/twin', undefined, 1);
    expect(body).toMatchObject({ version: 2, definition: { ...definition(newest) } });
    const asked = await fixture.call('agent_twin', { message: 'Who?' });
    expect(asked.llmRequestForAgent.messages[0].content).toBe(`You are ${newest}.`);
  });

  test('in the path and in the definition are refused where they differ, and the path says it where the definition does not', async () => {
    const file = { name: 'Web Search!', provider: 'x', instruction: 'Other.' };
    expect(await rest('PUT', '/agents/twin', { ...file, id: 'other' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_arguments', field: 'id' },
    });
    expect(await rest('PUT', '/agents/twin', file)).toMatchObject({ status: 200, body: { id: 'twin' } });
    const given = (await rest('GET', '/agents/twin')).body;
    expect(await rest('PUT', '/agents/twin', given)).toMatchObject({
      status: 200,
      body: { id: 'twin', version: given.version },
    });
    const { body } = await rest('GET', '/agents/web_search');
    expect(body.definition.instructions).toBe('You search the web.');
  });

  test('whose parameters nothing fits are refused; what older drafts read otherwise is not', async () => {
    const put = (parameters: object) =>
      rest('PUT', '/agents/asks', { id: 'asks', name: 'A', instructions: 'x', parameters });
    const impossible = {
      type: 'object',
      properties: {},
      required: ['question'],
      additionalProperties: false,
    };
    expect(await put(impossible)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_arguments',
        field: 'parameters',
        detail: expect.stringContaining("requires 'question', which is none of its properties"),
      },
    });
    for (const fitting of [
      { ...impossible, additionalProperties: true },
      { ...impossible, properties: { question: {} } },
      { ...impossible, patternProperties: { '^q': {} } },
    ])
      expect(await put(fitting)).toMatchObject({ status: 200 });
    await rest('DELETE', '/agents/asks');
  });

  test.each([
    ['agents', { id: 'x', name: 'X', instructions: 'x', budgets: { maxRecall: 3 } }, 'budgets.maxRecall'],
    ['agents', { id: 'x', name: 'X', instructions: 'x', budget: {} }, 'budget'],
    ['prompts', { name: 'x', text: 'x', parsr: { type: 'json' } }, 'parsr'],
  ])(
    'and definitions of %s with an unknown field are told the nearest name: %j',
    async (kind, definition, field) => {
      const { status, body } = await rest('PUT', `/${kind}/x`, definition);
      expect([status, body.field]).toEqual([400, field]);
      expect(body.detail).toMatch(/Did you mean "|It takes /);
    },
  );

  test('whose groups close a circle over three are refused, and those before go on', async () => {
    const put = (id: string, group: string[]) =>
      rest('PUT', `/agents/${id}`, { id, name: id, instructions: 'x', group });
    expect((await put('one', ['two'])).status).toBe(200);
    expect((await put('two', ['three'])).status).toBe(200);
    const refused = await put('three', ['one']);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_arguments', field: 'group' } });
    expect(refused.body.detail).toMatch(/a cycle: .*three/);
    expect((await put('three', [])).status).toBe(200);
    expect((await fixture.call('agent_one', { message: 'x' })).llmRequestForAgent.tools).toMatchObject([
      { function: { name: 'two' } },
    ]);
  });
});

describe('an answer in tags', () => {
  const PARSER = { type: 'xml', tags: [{ name: 'answer' }, { name: 'item', required: false, many: true }] };
  const MARKDOWN = { type: 'md', tags: [{ name: 'answer' }] };

  test.each<[string, object, string, RegExp]>([
    ['that never closes', PARSER, '<answer>yes', /<answer> is opened and never closed/],
    ['that closes as another', PARSER, '<answer>yes</item>', /<answer> is opened and never closed/],
    ['that is repeated', PARSER, '<answer>a</answer><answer>b</answer>', /<answer> stands there 2 times/],
    ['that is only closed', PARSER, '</answer>', /<answer> is missing/],
    ['that opens 9,000 times', PARSER, '<answer>'.repeat(9_000), /never closed/],
    ['that opens 40,000 times', PARSER, '<answer>'.repeat(40_000), /more than 10000 tags/],
    ['that is begun 50,000 times', PARSER, '<answer '.repeat(50_000), /<answer> is missing/],
    ['with 300,000 blanks', PARSER, `<answer${' '.repeat(300_000)}`, /<answer> is missing/],
    [
      'that are crossed 4,000 times',
      PARSER,
      '<item><answer>'.repeat(4_000) + '</item></answer>'.repeat(4_000),
      /within each other|never closed|times/,
    ],
    [
      'that stand within each other 9,000 times',
      PARSER,
      '<item>'.repeat(9_000) + '</item>'.repeat(9_000),
      /tags stand within each other too often/,
    ],
    ['of a code block that never ends', MARKDOWN, '```answer\nyes', /never closed/],
    ['of 100,000 backticks', MARKDOWN, '`'.repeat(100_000), /missing/],
    ['of 9,000 code blocks', MARKDOWN, '```answer\n```\n'.repeat(9_000), /9000 times/],
    ['of 30,000 code blocks', MARKDOWN, '```answer\n```\n'.repeat(30_000), /more than 10000 tags/],
  ])('%s is asked for again, saying why, and a good one ends the call', async (_what, parser, text, why) => {
    await rest('PUT', '/prompts/tagged', { name: 'tagged', text: 'Tag it.', parser });
    const asked = await fixture.call('call_prompt', { name: 'tagged' });
    const again = await fixture.answer(asked.interactionId, { text });
    expect(again.status).toBe('input_required');
    expect(again.pending.llmRequestForAgent.messages.at(-1).content).toMatch(why);
    const good = parser === MARKDOWN ? '```answer\nyes\n```' : '<answer>yes</answer>';
    const { result } = await fixture.answer(again.pending.interactionId, { text: good });
    expect(result.response).toMatchObject({ answer: 'yes' });
    expect(result.attempts[0]).toMatchObject({ end: 'exception', problem: expect.stringMatching(why) });
  });
});

describe('logprobs', () => {
  const first = (...top: object[]) => ({ content: [{ token: 'B', logprob: -0.1, top_logprobs: top }] });

  test.each<[string, unknown]>([
    ['that are null', null],
    ['that are empty', {}],
    ['of no tokens', { content: [] }],
    ['that are no list', { content: 'B' }],
    ['of tokens that are no objects', { content: ['B', 7, null] }],
    [
      'of other classes',
      { content: [{ token: 'Q', logprob: -0.1, top_logprobs: [{ token: 'Z', logprob: -1 }] }] },
    ],
    ['that are above 0', first({ token: 'A', logprob: 3 }, { token: 'B', logprob: 1e308 })],
    ['that are words', first({ token: 'A', logprob: 'NaN' }, { token: 'B', logprob: '-1' })],
    ['that are null for each token', first({ token: 'A', logprob: null }, { token: 'B', logprob: null })],
    ['that are of no weight', first({ token: 'A', logprob: -1e308 }, { token: 'B', logprob: -1e308 })],
  ])('%s give the class, and no probability', async (_what, logprobs) => {
    const asked = await fixture.call('classify', { text: 'Buy now', classes: ['spam', 'ham'] });
    const { status, result } = await fixture.answer(asked.interactionId, { text: 'B', logprobs });
    expect(status).toBe('completed');
    expect(result).toMatchObject({ class: 'ham', method: 'none', note: expect.stringContaining('No prob') });
    expect(result).not.toHaveProperty('probabilities');
  });
});

test('usage that is negative or beyond all bounds counts as none, and the conversation adds up and goes on', async () => {
  let conversationId: string | undefined;
  const turn = async (usage: object) => {
    const asked = await fixture.ask('Go on', conversationId);
    const agentLLMResponse = { status: 'success', data: { text: 'On.', usage } };
    const args = { interactionId: asked.interactionId, agentLLMResponse, waitMs: 20_000 };
    const reply = await fixture.call('agent_llm', args, 1);
    ({ conversationId } = reply.outcome.result);
    return reply;
  };
  expect((await turn({ inputTokens: 5, outputTokens: 7 })).warning).toBeUndefined();
  for (const bad of [-1, -1e308, 1e308, 1_000_000_001, 0.5, '9', true, [], {}])
    expect((await turn({ inputTokens: bad, outputTokens: 1 })).warning, JSON.stringify(bad)).toMatch(
      /^usage\.inputTokens is not counted/,
    );
  const { conversation } = (await rest('GET', `/conversations/${conversationId}`)).body;
  expect(
    conversation?.usage ?? (await fixture.call('get_conversation', { conversationId })).usage,
  ).toMatchObject({
    calls: 10,
    inputTokens: 5,
    outputTokens: 7 + 9,
  });
});

test('more prices than a table may have, and prices that are none, are refused, and the table stays', async () => {
  const table = { currency: 'EUR', models: { m: { input: 1, output: 2 } } };
  expect((await rest('PUT', '/prices', table)).status).toBe(200);
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`m${n}`, { input: 1, output: 1 }]));
  const tables: [unknown, string][] = [
    [many, 'models'],
    [{ ['m'.repeat(65)]: { input: 1, output: 1 } }, 'models'],
    [{ '': { input: 1, output: 1 } }, 'models'],
    [{ m: { input: -0.01, output: 1 } }, 'models.m.input'],
    [{ m: { input: 1, output: -1e308 } }, 'models.m.output'],
    [{ m: { input: '1', output: 1 } }, 'models.m.input'],
    [{ m: { input: 1 } }, 'models.m.output'],
    [[], 'models'],
  ];
  for (const [models, field] of tables) {
    const refused = await rest('PUT', '/prices', { currency: 'EUR', models });
    expect([refused.status, refused.body.code], field).toEqual([400, 'invalid_arguments']);
    expect(refused.body.field.startsWith(field), `${refused.body.field} of ${field}`).toBe(true);
  }
  expect((await rest('GET', '/prices', undefined, 1)).body).toEqual(table);
});

test('of messages to one conversation sixteen wait; one more is refused by name, and all others are answered', async () => {
  const begun = await fixture.ask('Begin');
  const { result } = await fixture.answer(begun.interactionId, { text: 'Begun.' });
  const { conversationId } = result;
  const first = await fixture.ask('0', conversationId);
  const refusals: string[] = [];
  const waiting = new Map<number, Promise<{ n: number; asked: AnyJson }>>();
  for (let n = 1; n <= 20; n++) {
    const call = fixture.ask(`${n}`, conversationId, n % 2).then((asked) => ({ n, asked }));
    waiting.set(n, call);
    call.catch((error: Error) => {
      waiting.delete(n);
      refusals.push(error.message);
    });
  }
  await waitUntilOrThrow('five are refused', 8_000, async () => refusals.length === 5);
  for (const message of refusals)
    expect(message).toContain('has 16 turns that have not ended, the most that it takes');
  // Another conversation has a queue of its own.
  const elsewhere = await fixture.ask('Elsewhere');
  expect((await fixture.answer(elsewhere.interactionId, { text: 'Yes.' })).status).toBe('completed');
  await fixture.answer(first.interactionId, { text: 'One more.' });
  for (let answered = 0; answered < 15; answered++) {
    const { n, asked } = await Promise.race(waiting.values());
    waiting.delete(n);
    expect((await fixture.answer(asked.interactionId, { text: 'One more.' })).status).toBe('completed');
  }
  const last = await fixture.ask('last', conversationId);
  expect(last.llmRequestForAgent.messages).toHaveLength(1 + 2 * 17 + 1);
});
