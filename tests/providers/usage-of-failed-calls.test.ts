import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LlmBehaviour, VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { USAGE } from '../fake-llm/provider-formats.ts';
import { ProviderFixture } from './provider-fixture.ts';

/** What an endpoint counted is in a task's usage, whether its reply was an answer or not. */
let fixture: ProviderFixture;
const behaviours = new Map<string, readonly LlmBehaviour[]>();

beforeAll(async () => {
  fixture = await ProviderFixture.start({ workers: 1, limits: { answerBytes: 4_000 } });
  fixture.llm.behaviour = ({ topic, attempt }) => behaviours.get(topic)?.[attempt - 1] ?? VALID_ANSWER;
  await fixture.putRole('main', { routes: [fixture.route()] });
});
afterAll(() => fixture?.stop());

const CUT: LlmBehaviour = { do: 'say', text: '{"value": "ha', finishReason: 'length' };

test.each<[string, LlmBehaviour[], { replies: number; failed: number; asked?: number }]>([
  ['was cut off once', [CUT], { replies: 2, failed: 0 }],
  ['was cut off twice', [CUT, CUT], { replies: 2, failed: 1 }],
  ['was cut off and then refused', [CUT, { do: 'refuse', status: 401 }], { replies: 1, failed: 1 }],
  ['is a refusal', [{ do: 'say', refusal: 'No.' }], { replies: 1, failed: 1 }],
  ['was withheld', [{ do: 'say', text: 'The', finishReason: 'content_filter' }], { replies: 1, failed: 1 }],
  ['is empty once', [{ do: 'say', text: '' }], { replies: 2, failed: 1, asked: 2 }],
  ['is too large', [{ do: 'say', text: `{"value":"${'x'.repeat(5_000)}"}` }], { replies: 1, failed: 1 }],
])('an answer that %s is counted with all that it cost', async (what, replies, spent) => {
  const text = `an answer that ${what}`;
  behaviours.set(text, replies);
  const { taskId, error } = await fixture.call('bench_echo', { text });
  const { usage } = await fixture.call('task_status', { taskId: taskId ?? error.taskId, waitMs: 20_000 });
  expect(usage).toMatchObject({
    calls: spent.asked ?? 1,
    failedCalls: spent.failed,
    inputTokens: spent.replies * USAGE.input,
    outputTokens: spent.replies * USAGE.output,
  });
});
