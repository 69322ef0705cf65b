import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** Images and other blocks of content, in every turn of a dialog and in results. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture.stop());

describe('content beside words', () => {
  const image = { type: 'image', data: Buffer.from('a drawing').toString('base64'), mimeType: 'image/png' };
  const large = (length: number) => ({ ...image, data: 'A'.repeat(length) });
  const words = { type: 'text', text: 'Here it is.' };
  const asksCoder = async (data: object) => {
    const asked = await fixture.ask('Draw');
    const calls = calling({ name: 'coder', arguments: { message: 'a tree' } });
    const step = await fixture.answer(asked.interactionId, calls);
    return fixture.answer(step.pending.interactionId, data);
  };
  const toolMessageOf = ({ pending }: AnyJson) => pending.llmRequestForAgent.messages.at(-1);

  test.each([
    ['alone', { content: [image] }, [image]],
    ['beside text', { content: [words, image] }, [words, image]],
    ['beside a field text', { text: words.text, content: [image] }, [words, image]],
  ])(
    "%s reaches the primary's tool message, and the result [specialist-returns]",
    async (_how, data, told) => {
      const step = await asksCoder(data);
      expect(toolMessageOf(step)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: told });
      const { result } = await fixture.answer(step.pending.interactionId, { text: 'A tree.' });
      expect(result).toMatchObject({ response: 'A tree.', content: [image] });
      expect(JSON.stringify(result).split(image.data), 'stands in the result once').toHaveLength(2);
      const next = await fixture.ask('Thanks', result.conversationId);
      const { messages } = next.llmRequestForAgent;
      expect(messages.find(({ role }: AnyJson) => role === 'tool').content).toEqual(told);
    },
  );

  test('of the caller, beside function calls and of the answer is in each later request of the conversation, and named in the dialog of the result', async () => {
    const [drawn, seen, shown] = ['drawn', 'seen', 'shown'].map((text) => ({
      ...image,
      data: Buffer.from(text).toString('base64'),
    }));
    const asked = await fixture.call('ask_assistant', { message: 'What is this?', content: [seen] });
    const turns: AnyJson[] = [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, seen] }];
    const messagesOf = ({ llmRequestForAgent }: AnyJson) => llmRequestForAgent.messages.slice(1);
    expect(messagesOf(asked)).toEqual(turns);
    const calls = calling({ name: 'coder', arguments: { message: 'look', content: [seen] } });
    const atCoder = await fixture.answer(asked.interactionId, { ...calls, content: [shown] });
    expect(messagesOf(atCoder.pending)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'look' }, seen] },
    ]);
    const step = await fixture.answer(atCoder.pending.interactionId, { text: 'A tree.' });
    const turn = messagesOf(step.pending)[1];
    expect(turn).toMatchObject({ role: 'assistant', content: [shown], tool_calls: [{ id: 'call_1' }] });
    const blank = await fixture.answer(step.pending.interactionId, { text: ' ' });
    const { result } = await fixture.answer(blank.pending.interactionId, {
      text: 'A drawing.',
      content: [drawn],
    });
    expect(result.content).toEqual([drawn]);
    expect(result.dialog.messages[0]).toEqual({ role: 'user', content: 'What is this?\n[image/png]' });
    expect(result.dialog.messages.at(-1)).toEqual({ role: 'assistant', content: 'A drawing.\n[image/png]' });
    const next = await fixture.ask('Thanks', result.conversationId, 1);
    const [first, second, third, fourth] = messagesOf(next);
    expect([first, fourth]).toEqual([
      ...turns,
      { role: 'assistant', content: [{ type: 'text', text: 'A drawing.' }, drawn] },
    ]);
    expect(second.content).toEqual([shown]);
    expect(third).toMatchObject({ role: 'tool', content: 'A tree.' });
  });

  test('of a prompt stands behind its text, and that of an answer which cannot be used in the request that asks again', async () => {
    await fixture.putPrompt('look', {
      text: 'What is {thing}?',
      system: 'You see.',
      parser: { type: 'json', schema: { type: 'object', required: ['n'] } },
    });
    const asked = await fixture.call('call_prompt', {
      name: 'look',
      args: { thing: 'this' },
      content: [image],
    });
    const messages = [
      { role: 'system', content: expect.stringContaining('You see.') },
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
    ];
    expect(asked.llmRequestForAgent.messages).toEqual(messages);
    const again = await fixture.answer(asked.interactionId, { content: [words, image] });
    expect(again.pending.llmRequestForAgent.messages).toEqual([
      ...messages,
      { role: 'assistant', content: [words, image] },
      { role: 'user', content: expect.stringContaining('cannot be used') },
    ]);
  });

  test("beside calls of the caller's functions is in the turn that it goes on with", async () => {
    const lookup = { name: 'lookup', description: 'Looks up', parameters: { type: 'object' } };
    await fixture.putPrompt('asks', { text: 'Why?', functions: [lookup] });
    const asked = await fixture.call('call_prompt', { name: 'asks' });
    const { result } = await fixture.answer(asked.interactionId, {
      ...calling({ name: 'lookup', arguments: {} }),
      content: [words, image],
    });
    expect(result.continueWith).toMatchObject([{ role: 'assistant', content: [words, image] }]);
    expect(result.content).toEqual([image]);
    const tool = { role: 'tool', tool_call_id: result.toolCalls[0].id, content: 'Found.' };
    const next = await fixture.call('call_prompt', {
      name: 'asks',
      messages: [...result.continueWith, tool],
    });
    expect(next.llmRequestForAgent.messages[1].content).toEqual([words, image]);
  });

  test('of 10 MB is more than a request may have, and nothing is delegated', async () => {
    const before = (await fixture.call('pending_interactions', {})).interactions;
    const asked = fixture.call('ask_assistant', { message: 'Look', content: [large(10_000_000)] });
    await expect(asked).rejects.toThrow("the tenant's limit 'requestBytes'");
    expect((await fixture.call('pending_interactions', {})).interactions).toEqual(before);
  });

  test.each([
    ['no base64', [{ ...image, data: 'no base64!' }], /content\.0\.data: must be base64/],
    ['a type that MCP has not', [{ type: 'video', data: 'AAAA' }], /content\.0\.type/],
    [
      'an address in the place of bytes',
      [{ type: 'image', url: 'http://10.0.0.1/a.png' }],
      /content\.0\.data/,
    ],
    [
      'more than a message may have',
      [large(500), large(131_000)],
      /content: must be at most 131072 bytes as JSON/,
    ],
  ])('of %s is refused with its name, and nothing is delegated', async (_how, content, problem) => {
    const before = (await fixture.call('pending_interactions', {})).interactions;
    for (const [name, args] of [
      ['ask_assistant', { message: 'Look', content }],
      ['agent_coder', { message: 'Look', content }],
    ] as const) {
      const error = await callToolForError(fixture.clients[0]!, name, args);
      expect(error).toMatchObject({ code: 'invalid_arguments', message: expect.stringMatching(problem) });
    }
    expect((await fixture.call('pending_interactions', {})).interactions).toEqual(before);
  });

  test('alone is an answer of the primary, and of the tool of a specialist', async () => {
    const asked = [await fixture.ask('Draw'), await fixture.call('agent_coder', { message: 'Draw' })];
    for (const { interactionId } of asked) {
      const ended = await fixture.answer(interactionId, { content: [image] });
      expect(ended).toMatchObject({ status: 'completed', result: { response: '', content: [image] } });
    }
  });

  test('that is no block of MCP is no answer by itself', async () => {
    const { interactionId } = await fixture.ask('Draw');
    const again = await fixture.answer(interactionId, { content: [{ ...image, data: 'no base64!' }] });
    expect(again).toMatchObject({ status: 'input_required', pending: { attempt: 2 } });
  });

  test('that has no room in the request of the primary is named there, and stands in the result', async () => {
    const large = { ...image, data: 'A'.repeat(200_000) };
    const step = await asksCoder({ content: [words, large] });
    const note = { type: 'text', text: '[image/png, too large to be shown here]' };
    expect(toolMessageOf(step).content).toEqual([words, note]);
    const { result } = await fixture.answer(step.pending.interactionId, { text: 'A tree.' });
    expect(result.content).toEqual([large]);
  });
});
