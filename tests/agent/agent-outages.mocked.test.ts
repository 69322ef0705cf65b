import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerWith, createModelFactory } from '@baton/agent';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type LlmBehaviour, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { AgentFixture, eventKinds, eventMatcher } from './agent-fixture.ts';

// Its pauses are a twentieth of what they are elsewhere; those of Retry-After are as the endpoint says.
vi.mock(import('../../packages/agent/src/timing/pauses.ts'), async (original) => {
  const { PAUSES } = await original();
  const brief = { firstMs: 50, mostMs: 1_500 };
  return { PAUSES: { ...PAUSES, failedCall: brief, failedProbe: brief, probeIntervalMs: 50 } } as never;
});

/** What an agent does while its LLM endpoint answers nobody: it asks before it claims, and again when a request fails. */
let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture.stop());
afterEach(async () => {
  await fixture.stopAgents();
  whatever(VALID_ANSWER);
});

/** The endpoint does this with whatever it is asked. */
function whatever(manner: LlmBehaviour): void {
  fixture.llm.behaviour = () => manner;
  fixture.llm.probeBehaviour = () => manner;
}

describe('an endpoint that does not answer, whatever is asked of it,', () => {
  test.each<[string, LlmBehaviour, RegExp]>([
    [
      'for its key',
      { do: 'refuse', status: 401, message: 'Incorrect API key provided' },
      /Incorrect API key/,
    ],
    ['for its model', { do: 'refuse', status: 404, message: 'model smol not found' }, /smol not found/],
    [
      'as a page of HTML',
      { do: 'garble', body: '<!doctype html>', contentType: 'text/html' },
      /page of HTML/,
    ],
  ])('%s, ends the agent before it claims anything', async (what, manner, message) => {
    whatever(manner);
    const { taskId } = await fixture.parkEcho(`set up wrongly ${what}`);
    const agent = fixture.startAgent();
    await expect(agent.done).rejects.toThrow(message);
    await expect(agent.done).rejects.toMatchObject({ kind: 'fatal' });
    expect(agent.events).toEqual([]);
    expect(fixture.llm.countCalls(`set up wrongly ${what}`)).toBe(0);
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'input_required' });
    await fixture.cancelTask(taskId);
  });

  test.each<[string, LlmBehaviour]>([
    ['429 with Retry-After', { do: 'refuse', status: 429, headers: { 'retry-after': '2' } }],
    ['503', { do: 'refuse', status: 503 }],
    ['a reset connection', { do: 'reset' }],
    ["a proxy's 407", { do: 'refuse', status: 407 }],
    ['half a JSON', { do: 'garble' }],
    ['an empty body', { do: 'garble', body: '' }],
    ['200 with an error inside', { do: 'garble', body: '{"error":{"message":"no GPU is free"}}' }],
  ])('is asked again until it does, with nothing claimed and no attempt spent: %s', async (what, manner) => {
    whatever(manner);
    const topics = [1, 2].map((n) => `${what} ${n}`);
    const parked = await Promise.all(topics.map((topic) => fixture.parkEcho(topic)));
    const agent = fixture.startAgent();
    const held = await agent.waitFor(eventMatcher('holding'));
    if (what.includes('error inside'))
      expect(held).toMatchObject({ message: expect.stringContaining('no GPU is free') });
    expect(agent.events.some(({ kind }) => kind === 'claimed')).toBe(false);
    whatever(VALID_ANSWER);
    for (const topic of topics) await agent.waitFor(eventMatcher('answered', topic));
    await agent.stop();
    for (const { taskId } of parked) {
      expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
      expect(await fixture.listInteractions(taskId)).toHaveLength(1);
    }
    for (const topic of topics) expect(fixture.llm.countCalls(topic)).toBe(1);
  });

  test('while it works gives back what it holds, pauses for as long as Retry-After says, and goes on', async () => {
    const agent = fixture.startAgent({ concurrency: 2 });
    await fixture.parkEcho('before the outage');
    await agent.waitFor(eventMatcher('answered', 'before the outage'));
    whatever({ do: 'refuse', status: 429, headers: { 'retry-after': '3' } });
    const parked = await Promise.all(
      ['in it 1', 'in it 2', 'in it 3'].map((topic) => fixture.parkEcho(topic)),
    );
    const given = await agent.waitFor(eventMatcher('abandoned'));
    expect(given).toMatchObject({ reason: 'endpoint' });
    const [held] = agent.events.filter(eventMatcher('holding'));
    expect(held).toMatchObject({ kind: 'holding', inMs: 3_000 });
    whatever(VALID_ANSWER);
    for (const topic of ['in it 1', 'in it 2', 'in it 3'])
      await agent.waitFor(eventMatcher('answered', topic));
    await agent.stop();
    for (const { taskId } of parked) {
      expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
      expect(await fixture.listInteractions(taskId)).toHaveLength(1);
    }
  });

  test('refuses the key while it works: the agent ends, and never fails a task: another agent answers', async () => {
    const agent = fixture.startAgent({ leaseMs: 600_000 });
    await fixture.parkEcho('before the key ends');
    await agent.waitFor(eventMatcher('answered', 'before the key ends'));
    whatever({ do: 'refuse', status: 401, message: 'Incorrect API key provided' });
    const { taskId } = await fixture.parkEcho('wrong key');
    await expect(agent.done).rejects.toThrow('Incorrect API key provided');
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'input_required' });
    whatever(VALID_ANSWER);
    const other = fixture.startAgent();
    await other.waitFor(eventMatcher('answered', 'wrong key'));
    await other.stop();
  });

  test('ends an agent with once after five probes, and nothing was claimed', async () => {
    const { taskId } = await fixture.parkEcho('nobody is there');
    const llm = createModelFactory({ provider: 'openai', endpoint: 'http://127.0.0.1:2/v1' });
    const agent = fixture.startAgent({ once: true, answer: answerWith(llm('m')) });
    const error = await agent.done.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'passing', scope: 'endpoint' });
    expect(String(error)).toContain('http://127.0.0.1:2');
    expect(eventKinds(agent.events)).toEqual(['holding', 'holding', 'holding', 'holding', 'holding']);
    await fixture.cancelTask(taskId);
  });

  test('with a host that nobody knows ends the agent, naming it', async () => {
    const llm = createModelFactory({ provider: 'openai', endpoint: 'http://nobody.invalid/v1' });
    const agent = fixture.startAgent({ once: true, answer: answerWith(llm('m')) });
    const error = await agent.done.catch((thrown: unknown) => thrown);
    // A machine without name servers cannot tell that it is unknown.
    expect(error).toMatchObject({ scope: 'endpoint' });
    expect(String(error)).toContain('nobody.invalid');
  });

  test('with a certificate that nobody vouches for ends the agent, which never sends its key', async () => {
    const file = (name: string) => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url));
    let requests = 0;
    const server = createServer({ key: file('key'), cert: file('certificate') }, () => requests++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const llm = createModelFactory({ provider: 'openai', endpoint: `https://127.0.0.1:${port}/v1` });
      const agent = fixture.startAgent({ once: true, answer: answerWith(llm('m')) });
      const error = await agent.done.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ scope: 'endpoint', type: 'certificate_error' });
      expect(String(error)).toMatch(new RegExp(`certificate.*https://127\\.0\\.0\\.1:${port}`, 'i'));
      expect(requests).toBe(0);
    } finally {
      server.close();
    }
  });
});

test("the model that an endpoint names is the answer's, whichever was asked for", async () => {
  fixture.llm.behaviour = () => ({ do: 'say', model: 'quite-another' });
  const { taskId } = await fixture.parkEcho('who answers');
  const agent = fixture.startAgent();
  await agent.waitFor(eventMatcher('answered', 'who answers'));
  await agent.stop();
  expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
  const { journal } = await fixture.inspectTask(taskId);
  expect([...journal.values()].join()).toContain('quite-another');
});
