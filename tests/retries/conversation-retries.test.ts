import { afterAll, beforeAll, expect, test } from 'vitest';
import { successAnswer } from '../harness/mcp-client.ts';
import { FATAL, RetryFixture } from './retry-fixture.ts';

let fixture: RetryFixture;
beforeAll(async () => {
  fixture = await RetryFixture.start();
  const agent = { id: 'first', name: 'First', instructions: 'Be of use.', isPrimary: true };
  const { status, text } = await fixture.rest('PUT', '/v1/agents/first', agent);
  if (status >= 300) throw new Error(text);
});
afterAll(() => fixture?.baton.stop());

test('a turn that failed is taken again by a retry, behind those that came meanwhile, and tells of what they said', async () => {
  const say = (message: string, conversationId?: string) =>
    fixture.call('ask_assistant', { message, ...(conversationId && { conversationId }) });
  const answer = (interactionId: string, text: string) =>
    fixture.answer(interactionId, successAnswer({ text }));
  const first = await answer((await say('one')).interactionId, 'first answer');
  const { conversationId } = first.result;
  const failed = await say('two', conversationId);
  const asked = await fixture.until(failed.taskId, 'input_required');
  expect((await fixture.answer(asked.pending.interactionId, FATAL)).status).toBe('failed');
  const third = await say('three', conversationId);
  const waiting = await fixture.until(third.taskId, 'input_required');
  await answer(waiting.pending.interactionId, 'third answer');
  const { pending } = await fixture.retry(failed.taskId);
  const said = JSON.stringify(pending.llmRequestForAgent.messages);
  expect(said).toContain('third answer');
  expect(await answer(pending.interactionId, 'second answer')).toMatchObject({ status: 'completed' });
  const { dialog } = await fixture.call('get_conversation', { conversationId });
  expect(dialog.map(({ content }: { content: string }) => content)).toEqual([
    'one',
    'first answer',
    'three',
    'third answer',
    'two',
    'second answer',
  ]);
});

test('a task that did not end by its deadline is retried with a new one', async () => {
  const brief = await RetryFixture.start({ lifetimes: { task: 5_000 } });
  try {
    const { taskId } = await brief.call('bench_echo', { text: 'x' });
    expect((await brief.until(taskId, 'failed')).error.code).toBe('task_expired');
    const { pending } = await brief.retry(taskId);
    expect(await brief.value(pending.interactionId, 'v')).toMatchObject({ status: 'completed' });
  } finally {
    await brief.baton.stop();
  }
});
