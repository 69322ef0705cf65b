import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** Which model and temperature a request names, where its agent, its prompt, its caller, its route and its role may each name one. */
let fixture: ProviderFixture;
const OWN = { model: 'own-model', temperature: 0.9, maxTokens: 700 };

beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 1 });
  const agent = { name: 'a', instructions: 'You help.' };
  await fixture.rest('PUT', '/agents/primary', { id: 'primary', ...agent, ...OWN, isPrimary: true });
  for (const [id, own] of [
    ['chooses', OWN],
    ['plain', {}],
  ] as const) {
    const put = await fixture.rest('PUT', `/agents/${id}`, { id, ...agent, ...own, description: id });
    if (put.status !== 200) throw new Error(JSON.stringify(put.body));
    await fixture.rest('PUT', `/prompts/${id}`, { name: id, text: 'prompt {word}', ...own });
  }
});
afterAll(() => fixture?.stop());

/** Starts a request of each kind about a topic. */
const STARTS: Readonly<Record<string, (topic: string) => Promise<AnyJson>>> = {
  'the primary': (message) => fixture.call('ask_assistant', { message }),
  'an agent': (message) => fixture.call('agent_chooses', { message }),
  'an agent without a model': (message) => fixture.call('agent_plain', { message }),
  'a prompt': (word) => fixture.call('call_prompt', { name: 'chooses', args: { word } }),
  'a prompt without a model': (word) => fixture.call('call_prompt', { name: 'plain', args: { word } }),
  'a caller': (content) =>
    fixture.call('agent_llm', {
      delegatedCallDetails: {
        originalCommand: 'x',
        serviceType: 'generateText',
        requestParameters: {
          modelId: OWN.model,
          temperature: OWN.temperature,
          maxTokens: OWN.maxTokens,
          messages: [{ role: 'user', content }],
        },
      },
    }),
  'an operation': (text) => fixture.call('bench_echo', { text }),
};

const asked = (topic: string): AnyJson => {
  const { body } =
    fixture.llm.calls.findLast(({ messages }) => JSON.stringify(messages).includes(topic)) ?? {};
  return { model: body?.model, temperature: body?.temperature, maxTokens: body?.max_tokens };
};

const BOUNDS = { maxTokens: 50, temperature: 0.3 };
const ofRoute = { model: 'served-model', temperature: 0.3, maxTokens: 50 };

test.each<[string, object]>([
  ['the primary', { model: 'own-model', temperature: 0.9, maxTokens: 50 }],
  ['an agent', { model: 'own-model', temperature: 0.9, maxTokens: 50 }],
  ['an agent without a model', ofRoute],
  ['a prompt', { model: 'own-model', temperature: 0.9, maxTokens: 50 }],
  ['a prompt without a model', ofRoute],
  ['a caller', { model: 'served-model', temperature: 0.9, maxTokens: 50 }],
  ['an operation', ofRoute],
])(
  'an endpoint is asked by %s for the model and the temperature that are named closest',
  async (who, named) => {
    await fixture.putRole('main', { routes: [fixture.route()], ...BOUNDS });
    const topic = `closest of ${who}`;
    expect(await STARTS[who]?.(topic)).toMatchObject({ status: 'completed' });
    expect(asked(topic)).toEqual(named);
  },
);

test('a route that fixes its model is asked for no other, and the temperature stays', async () => {
  await fixture.putRole('main', { routes: [fixture.route({ fixedModel: true })], ...BOUNDS });
  for (const who of ['an agent', 'a prompt', 'a caller']) {
    const topic = `fixed for ${who}`;
    await STARTS[who]?.(topic);
    expect([who, asked(topic)]).toEqual([who, { ...ofRoute, temperature: 0.9 }]);
  }
  expect((await fixture.rest('GET', '/roles/main')).body.routes[0]).toMatchObject({ fixedModel: true });
});

test('a route that changes while a request waits is asked for the model that it names now', async () => {
  await fixture.putRole('main', { routes: [fixture.route()] });
  let tellChanged = () => {};
  const changed = new Promise<void>((resolve) => {
    tellChanged = resolve;
  });
  fixture.llm.behaviour = ({ attempt }) =>
    attempt === 1 ? { do: 'refuse', status: 503, after: changed } : { do: 'say' };
  const waiting = STARTS['an agent without a model']?.('changed meanwhile');
  await fixture.llm.waitUntil((all) => all.some(({ topic }) => topic.includes('changed meanwhile')));
  await fixture.putRole('main', { routes: [fixture.route({ modelId: 'newer' })] });
  tellChanged();
  expect(await waiting).toMatchObject({ status: 'completed' });
  expect(asked('changed meanwhile').model).toBe('newer');
  fixture.llm.behaviour = () => ({ do: 'say' });
});

test("a calling agent is asked for an agent's own model, unless the route fixes another", async () => {
  const modelOf = async (route: object) => {
    await fixture.putRole('main', { routes: [{ kind: 'agent', ...route }], ...BOUNDS });
    const reply = await STARTS['an agent']?.('by an agent');
    return [reply?.llmRequestForAgent.modelId, reply?.llmRequestForAgent.temperature];
  };
  expect(await modelOf({ modelId: 'of-route' })).toEqual(['own-model', 0.9]);
  expect(await modelOf({ modelId: 'of-route', fixedModel: true })).toEqual(['of-route', 0.9]);
});
