import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '@baton/gateway';
import type { LlmBehaviour } from '../fake-llm/llm-server.ts';
import { readRedisText } from '../harness/redis-text.ts';
import { API_KEY, ProviderFixture } from './provider-fixture.ts';

/** Endpoints that say the key back which they were called with. */
let fixture: ProviderFixture;
let redis: Redis;
const lines: string[] = [];

beforeAll(async () => {
  const log = createLogger('trace', {}, { write: (line: string) => void lines.push(line) });
  fixture = await ProviderFixture.start({ workers: 1, log });
  redis = new Redis(fixture.baton.redisUrl.replace('unix://', ''));
  await fixture.putRole('main', { routes: [fixture.route()] });
});
afterAll(async () => {
  redis?.disconnect();
  await fixture?.stop();
});

const encoded = Array.from(API_KEY, (one) => `%${one.charCodeAt(0).toString(16)}`).join('');
const FORMS = [API_KEY, encoded, Buffer.from(API_KEY).toString('base64')];
const said = `The key Bearer ${FORMS.join(' or ')} is yours`;

test.each<[string, LlmBehaviour, string]>([
  ['a final error', { do: 'refuse', status: 401, message: said }, 'generateText'],
  ['an error that may pass', { do: 'refuse', status: 503, message: said }, 'generateText'],
  ['an answer', { do: 'say', text: said }, 'generateText'],
  ['streamed words', { do: 'say', text: said.repeat(3), everyMs: 20 }, 'streamText'],
  [
    'a tool call',
    { do: 'say', text: '', toolCalls: [{ id: 'c', name: 'f', arguments: { key: API_KEY } }] },
    'generateText',
  ],
])(
  'the key in %s of an endpoint is shown, stored and logged nowhere',
  async (what, behaviour, serviceType) => {
    fixture.llm.behaviour = () => behaviour;
    const messages = [{ role: 'user', content: `echoed in ${what}` }];
    const requestParameters = { messages, tools: [{ type: 'function', function: { name: 'f' } }] };
    const delegatedCallDetails = { originalCommand: 'x', serviceType, requestParameters };
    const shown = [await fixture.call('agent_llm', { delegatedCallDetails })];
    expect(JSON.stringify(shown)).toContain('[redacted]');
    const { tasks } = (await fixture.rest('GET', '/tasks')).body;
    shown.push(tasks, await fixture.call('task_status', { taskId: tasks[0].taskId }));
    const everywhere = JSON.stringify([shown, await readRedisText(redis), lines]);
    for (const form of FORMS) expect(everywhere).not.toContain(form);
  },
);
