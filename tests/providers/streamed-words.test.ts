import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type Progress, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { waitUntilOrThrow } from '../harness/poll.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** Answers of LLM endpoints that come in words: readable while they come, on any replica, and never of two tries. */
const ANSWER_BYTES = 4_000;

let fixture: ProviderFixture;
let other: Client;
let redis: Redis;

beforeAll(async () => {
  fixture = await ProviderFixture.start({ gateways: 2, workers: 1, limits: { answerBytes: ANSWER_BYTES } });
  other = await connectMcpClient(fixture.baton.url(1), fixture.baton.apiKey);
  redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  await other?.close();
  redis?.disconnect();
  await fixture?.stop();
});
beforeEach(() => {
  fixture.llm.behaviour = () => VALID_ANSWER;
});

const FIRST = 'It was a dark and stormy night. ';
const SECOND = 'The rain fell in torrents, now and then. ';
const TEXT = FIRST + SECOND;

function gate(): { halfway: Promise<void>; goOn: () => void } {
  let goOn = () => {};
  const halfway = new Promise<void>((resolve) => (goOn = resolve));
  return { halfway, goOn };
}

/** Has the endpoint wait in the middle of its answer until `goOn`. */
function pauseHalfway(text = TEXT): { goOn: () => void } {
  const { halfway, goOn } = gate();
  fixture.llm.behaviour = () => ({ do: 'say', text, halfway });
  return { goOn };
}

const storyAbout = (topic: string) => ({
  delegatedCallDetails: {
    originalCommand: 'story',
    serviceType: 'streamText',
    requestParameters: { messages: [{ role: 'user', content: topic }] },
  },
});
const delegate = (topic: string): Promise<AnyJson> =>
  callTool(fixture.client, 'agent_llm', storyAbout(topic));

/** The task that works now, as soon as words of it can be read on the other replica. */
async function taskWithWords(): Promise<{ taskId: string; streaming: AnyJson }> {
  let found: { taskId: string; streaming: AnyJson } | undefined;
  await waitUntilOrThrow('words can be read', 10_000, async () => {
    const { tasks } = (await fixture.rest('GET', '/tasks?status=working')).body;
    const taskId = tasks[0]?.taskId;
    if (taskId === undefined) return false;
    const { streaming } = await callTool(other, 'task_status', { taskId });
    if (streaming !== undefined) found = { taskId, streaming };
    return found !== undefined;
  });
  return found as { taskId: string; streaming: AnyJson };
}

const wordsLeft = async () => [
  ...(await redis.keys('*:chunks:*')),
  ...(await Promise.all((await redis.keys('*:task:*')).map((key) => redis.hkeys(key))))
    .flat()
    .filter((field) => /^c\d+$/.test(field)),
];

test.each(['openai', 'anthropic'] as const)(
  'words of %s are shown by task_status, REST and the resource of another replica while the rest is still to come',
  async (kind) => {
    await fixture.putRole('main', { routes: [fixture.route({ kind })] });
    const { goOn } = pauseHalfway();
    const ended = delegate(`words of ${kind}`);
    const { taskId, streaming } = await taskWithWords();
    expect(streaming).toMatchObject([{ complete: false }]);
    expect(streaming[0].text.length).toBeGreaterThan(10);
    expect(TEXT.startsWith(streaming[0].text) && streaming[0].text !== TEXT).toBe(true);
    const { text } = streaming[0];
    expect((await fixture.rest('GET', `/tasks/${taskId}`)).body.streaming[0].text).toBe(text);
    const { contents } = await other.readResource({ uri: `baton://tasks/${taskId}` });
    const shown = JSON.parse((contents[0] as { text: string }).text);
    expect(shown).toMatchObject({ status: 'working', streaming: [{ text }] });
    expect(JSON.stringify(shown), 'nobody but the worker may answer').not.toContain('pending');
    goOn();
    expect(await ended).toMatchObject({ status: 'completed', response: TEXT });
    expect(await callTool(other, 'task_status', { taskId })).not.toHaveProperty('streaming');
    expect(await wordsLeft(), 'the answer is all that is left').toEqual([]);
  },
);

test('a waiting call with a progressToken, and subscribers of the task, hear of the words on another replica', async () => {
  await fixture.putRole('main', { routes: [fixture.route()] });
  const { goOn } = pauseHalfway();
  const ended = delegate('heard of');
  const { taskId } = await taskWithWords();
  const uri = `baton://tasks/${taskId}`;
  let updates = 0;
  other.setNotificationHandler(ResourceUpdatedNotificationSchema, () => void updates++);
  await other.subscribeResource({ uri });
  const heard: Progress[] = [];
  const said = () => heard.map(({ message }) => message).join('');
  const params = { name: 'task_status', arguments: { taskId, waitMs: 20_000 } };
  const waiting = other.callTool(params, undefined, { onprogress: (one) => void heard.push(one) });
  await waitUntilOrThrow('the first words are heard', 10_000, async () => said() !== '');
  expect(TEXT.startsWith(said())).toBe(true);
  goOn();
  expect((await waiting).structuredContent).toMatchObject({ status: 'completed' });
  expect((await ended).response).toBe(TEXT);
  expect(TEXT.startsWith(said()), 'in order, each once').toBe(true);
  await waitUntilOrThrow('the subscriber hears', 10_000, async () => updates > 0);
  await other.unsubscribeResource({ uri });
});

test('ask_assistant with stream has the words of the endpoint reported to its own call', async () => {
  const agent = { id: 'assistant', name: 'Assistant', instructions: 'Be brief.', isPrimary: true };
  expect((await fixture.rest('PUT', '/agents/assistant', agent)).status).toBeLessThan(300);
  const heard: Progress[] = [];
  const { goOn } = pauseHalfway();
  const params = { name: 'ask_assistant', arguments: { message: 'a story', stream: true } };
  const asked = fixture.client.callTool(params, undefined, {
    onprogress(one) {
      heard.push(one);
      goOn();
    },
  });
  expect((await asked).structuredContent).toMatchObject({ status: 'completed' });
  expect(JSON.stringify((await asked).structuredContent)).toContain(TEXT.trim());
  const said = heard.map(({ message }) => message).join('');
  expect(said).not.toBe('');
  expect(TEXT.startsWith(said)).toBe(true);
});

test('a stream that breaks off is asked for again, and nothing of it is in the next one', async () => {
  fixture.llm.behaviour = ({ attempt }) =>
    attempt === 1 ? { do: 'stop-halfway', text: 'broken '.repeat(20) } : { do: 'say', text: TEXT };
  expect(await delegate('breaks off')).toMatchObject({
    status: 'completed',
    response: TEXT,
  });
  expect(await wordsLeft()).toEqual([]);
});

test('words over what an answer may have end with the error of an answer that is too large', async () => {
  const text = 'x'.repeat(2 * ANSWER_BYTES);
  fixture.llm.behaviour = () => ({ do: 'say', text, everyMs: 1 });
  const failed = await fixture.call('agent_llm', storyAbout('too many words'));
  expect(failed.error.errorDetails).toMatchObject({ type: 'answer_too_large' });
  expect(await wordsLeft()).toEqual([]);
});
