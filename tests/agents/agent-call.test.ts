import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** The loop of an agent call over the wire: what is asked again, what stays in the dialog, and how it ends. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture.stop());

const overloaded = { status: 'error', errorDetails: { type: 'overloaded_error', message: 'too much' } };
const search = (query: string) => calling({ name: 'web_search', arguments: { query } });

describe('an agent call', () => {
  test('gives its response, its dialog with the prompt that began it, and the trace of its functions [call-input, call-output, call-history, call-functions, interrupt-stays, function-call-trace]', async () => {
    const asked = await fixture.ask('What is it?');
    const first = await fixture.answer(asked.interactionId, search('it'));
    const step = await fixture.answer(first.pending.interactionId, { text: 'A thing.' });
    const second = await fixture.answer(step.pending.interactionId, calling({ name: 'none', arguments: {} }));
    const shown = second.pending.llmRequestForAgent.messages.map(({ role }: AnyJson) => role);
    expect(shown).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(second.pending.llmRequestForAgent.tools).toHaveLength(2);
    const { result, taskId } = await fixture.answer(second.pending.interactionId, { text: 'It is a thing.' });
    expect(result.response).toBe('It is a thing.');
    expect(result.dialog.top_prompt).toBe('agent:assistant');
    expect(result.dialog.messages.map(({ role }: AnyJson) => role)).toEqual([...shown.slice(1), 'assistant']);
    const [run, refused] = result.functionCalls;
    expect(run).toEqual({
      id: 'call_1',
      name: 'web_search',
      arguments: { query: 'it' },
      result: 'A thing.',
      result_str: 'A thing.',
      repeated: false,
    });
    expect(refused).toMatchObject({
      error_message: expect.stringContaining("no function 'none'"),
      repeated: false,
    });
    const status = await fixture.call('task_status', { taskId: taskId ?? asked.taskId });
    expect(status.result.functionCalls).toEqual(result.functionCalls);
  });

  test('asks again with the problem after an answer that does not parse, and forgets that branch [exception-retry, exception-pruned]', async () => {
    const asked = await fixture.ask('Say something');
    const again = await fixture.answer(asked.interactionId, { text: ' ' });
    const branch = again.pending.llmRequestForAgent.messages.slice(2);
    expect(JSON.stringify(branch)).toContain('the text is empty');
    const called = await fixture.answer(again.pending.interactionId, search('something'));
    const step = await fixture.answer(called.pending.interactionId, { text: 'Found.' });
    const roles = step.pending.llmRequestForAgent.messages.map(({ role }: AnyJson) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool']);
    const { result } = await fixture.answer(step.pending.interactionId, { text: 'Something.' });
    expect(JSON.stringify(result.dialog)).not.toContain('the text is empty');
    expect(result.attempts.map(({ end }: AnyJson) => end)).toEqual(['exception', 'interrupt', 'accepted']);
    const { dialog } = await fixture.call('get_conversation', { conversationId: result.conversationId });
    // A conversation keeps calls under ids that none of its later turns can have.
    expect(JSON.stringify(dialog).replaceAll('_t0', '')).toBe(JSON.stringify(result.dialog.messages));
  });

  test('ends in a named error with a report when its answers never parse [exception-retry, call-determinism, error-report]', async () => {
    const asked = await fixture.ask('Say something');
    let outcome: AnyJson = { pending: asked };
    for (let answer = 1; answer <= 4; answer++)
      outcome = await fixture.answer(outcome.pending.interactionId, { text: ' ' });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { code: 'answer_invalid', report: { exhausted: 'maxExceptionRetries' } },
    });
    const { attempts, dialog } = outcome.error.report;
    expect(attempts).toHaveLength(4);
    expect(dialog.length).toBeGreaterThan(2);
    const status = await fixture.call('task_status', { taskId: asked.taskId });
    expect(status.error.report).toEqual(outcome.error.report);
  });

  test('recalls a failure that may pass after pauses that double, and then fails with its report [recall-backoff, error-report]', async () => {
    const asked = await fixture.ask('Be patient');
    let { interactionId } = asked;
    for (let recall = 0; recall <= 2; recall++) {
      await fixture.call('agent_llm', { interactionId, agentLLMResponse: overloaded });
      if (recall < 2) ({ interactionId } = (await fixture.waitForOther(asked.taskId, interactionId)).pending);
    }
    const status = await fixture.call('task_status', { taskId: asked.taskId, waitMs: 10_000 });
    expect(status).toMatchObject({
      status: 'failed',
      error: { code: 'agent_error', report: { exhausted: 'maxRecalls' } },
    });
    const [first, second, last] = status.error.report.attempts;
    expect(first.pausedMs).toBeGreaterThanOrEqual(1_000);
    expect(second.pausedMs).toBeGreaterThanOrEqual(2_000);
    expect(last.pausedMs).toBeUndefined();
  });
});

describe('a classifier', () => {
  const classes = ['spam', 'ham'];
  const saying = (text: string, spam: number) => ({
    text,
    logprobs: {
      content: [
        {
          token: text,
          logprob: 0,
          top_logprobs: [
            { token: 'A', logprob: Math.log(spam) },
            { token: 'B', logprob: Math.log(1 - spam) },
          ],
        },
      ],
    },
  });

  test('asks once, by a prompt of its own for one token, and gives the probabilities of its classes [classifier-prompt, classifier-probabilities]', async () => {
    const asked = await fixture.call('classify', { text: 'Buy now', classes });
    const { result, status } = await fixture.answer(asked.interactionId, saying('A', 0.6));
    expect({ status, ...result }).toMatchObject({
      status: 'completed',
      class: 'spam',
      method: 'renormalised',
    });
    expect(result.probabilities.spam).toBeCloseTo(0.6, 5);
    const question = { text: 'Buy now', question: 'Is it spam?' };
    const yes = await fixture.call('binary_classify', question);
    expect((await fixture.answer(yes.interactionId, saying('A', 0.7))).result).toMatchObject({
      answer: true,
      probability: expect.closeTo(0.7, 5),
      method: 'renormalised',
    });
  });

  test('with calibrated asks a second time, and calibrates the probabilities by that', async () => {
    const asked = await fixture.call('classify', { text: 'Buy now', classes, calibrated: true });
    const { messages, ...parameters } = asked.llmRequestForAgent;
    expect(JSON.stringify(messages)).toContain('the letter of one class');
    expect(JSON.stringify(parameters)).toContain('ogprobs');
    const bias = await fixture.answer(asked.interactionId, saying('A', 0.6));
    const { result } = await fixture.answer(bias.pending.interactionId, saying('A', 0.9));
    expect(result).toMatchObject({ answered: 'spam', method: 'contextual_calibration' });
    // 0.6/0.9 against 0.4/0.1: what the prompt says of a text without content is taken out.
    expect(result.class).toBe('ham');
    expect(result.probabilities.spam).toBeCloseTo(0.6 / 0.9 / (0.6 / 0.9 + 0.4 / 0.1), 5);
  });

  test('is asked again after an answer of no class, and says when there is no probability [classifier-loop]', async () => {
    const asked = await fixture.call('classify', { text: 'Buy now', classes });
    const again = await fixture.answer(asked.interactionId, { text: 'maybe' });
    expect(JSON.stringify(again.pending.llmRequestForAgent.messages)).toContain('none of the letters A, B');
    const { result } = await fixture.answer(again.pending.interactionId, { text: 'ham' });
    expect(result).toMatchObject({ class: 'ham', method: 'none' });
    expect(result.note).toContain('No probability was given');
  });
});
