import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** Conversations are listed, shown and deleted by whose they are, over MCP and REST. */
let fixture: AgentsFixture;
let admin: string;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
  admin = await fixture.baton.createKey({ scopes: ['admin', 'agent'] });
});
afterAll(() => fixture.stop());

const usage = { inputTokens: 10, outputTokens: 3 };

async function talk(message: string, conversationId?: string): Promise<string> {
  const asked = await fixture.ask(message, conversationId);
  const outcome = await fixture.answer(asked.interactionId, { text: `re: ${message}`, usage });
  return outcome.result.conversationId;
}

const rest = async (path: string, key: string, method = 'GET') => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${fixture.baton.url(1)}/v1${path}`, { method, headers });
  const body: AnyJson = response.status === 204 ? null : await response.json();
  return { status: response.status, body };
};

test('a conversation is shown with its messages, in pages, and what it has used [usage-of-delegated-calls]', async () => {
  const id = await talk('One');
  await talk('Two', id);
  const asked = await fixture.ask('Three', id);
  const step = await fixture.answer(asked.interactionId, {
    ...calling({ name: 'coder', arguments: { message: 'x' } }),
    usage,
  });
  const coded = await fixture.answer(step.pending.interactionId, { text: 'code', usage });
  await fixture.answer(coded.pending.interactionId, { text: 'Done.', usage });
  const shown = await fixture.call('get_conversation', { conversationId: id });
  expect(shown).toMatchObject({
    title: 'One',
    turns: 3,
    messages: 8,
    first: 0,
    usage: { calls: 5, inputTokens: 50, outputTokens: 15 },
  });
  expect(shown.dialog.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  const later = await fixture.call('get_conversation', { conversationId: id, from: 6 });
  expect([later.first, later.dialog.length]).toEqual([6, 2]);
  expect((await rest(`/conversations/${id}?from=6`, fixture.baton.apiKey)).body).toEqual(later);
});

test('a part of a conversation has room for some messages and says where the next one begins', async () => {
  const id = await talk('x'.repeat(31_000));
  await talk('y'.repeat(31_000), id);
  const parts: number[] = [];
  const texts: string[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const part: AnyJson = await fixture.call('get_conversation', { conversationId: id, from });
    expect((await rest(`/conversations/${id}?from=${from}`, fixture.baton.apiKey)).body).toEqual(part);
    expect([part.first, part.messages]).toEqual([from, 4]);
    parts.push(part.dialog.length);
    for (const { role, content } of part.dialog) if (role === 'user') texts.push(content);
    from = part.next;
  }
  // The answers are as long as what they answer.
  expect(parts).toEqual([1, 1, 1, 1]);
  expect(texts.map((text) => [text[0], text.length])).toEqual([
    ['x', 31_000],
    ['y', 31_000],
  ]);
});

test('a model that numbers the calls of each answer from the beginning repeats no id in the dialog that it is sent', async () => {
  const ask = calling({ id: 'call_0', name: 'coder', arguments: { message: 'x' } });
  const again = calling({ id: 'call_0', name: 'coder', arguments: { message: 'y' } });
  let id: string | undefined;
  for (let turn = 0; turn < 3; turn++) {
    const asked = await fixture.ask(`Turn ${turn}`, id);
    const first = await fixture.answer(asked.interactionId, ask);
    const second = await fixture.answer(first.pending.interactionId, { text: 'code' });
    const third = await fixture.answer(second.pending.interactionId, again);
    const last = await fixture.answer(third.pending.interactionId, { text: 'more' });
    const { messages } = last.pending.llmRequestForAgent;
    const called = messages.flatMap(({ tool_calls = [] }: AnyJson) =>
      tool_calls.map((call: AnyJson) => call.id),
    );
    expect(called).toHaveLength(2 * turn + 2);
    expect(new Set(called).size, called.join()).toBe(called.length);
    const answered = messages.flatMap((message: AnyJson) => message.tool_call_id ?? []);
    expect(answered).toEqual(called);
    const outcome = await fixture.answer(last.pending.interactionId, { text: 'Done.' });
    expect(outcome.result.functionCalls.map((call: AnyJson) => call.id)).toEqual(['call_0', 'call_0_2']);
    id = outcome.result.conversationId;
  }
});

test('the list has the last used first, in pages, the own ones alone, and everyone with the scope agent', async () => {
  const bob = await fixture.baton.createKey({ principal: 'bob' });
  const ids: string[] = [];
  for (let n = 0; n < 23; n++) ids.unshift(await talk(`Message ${n}`));
  const first = await fixture.call('list_conversations', {});
  const second = await fixture.call('list_conversations', { cursor: first.nextCursor }, 1);
  const listed = [...first.conversations, ...second.conversations];
  expect(listed.slice(0, 23).map(({ conversationId }) => conversationId)).toEqual(ids);
  expect((await rest('/conversations', bob)).body).toEqual({ conversations: [] });
  expect((await rest('/conversations', admin)).body.conversations[0]).toMatchObject({
    conversationId: ids[0],
    title: 'Message 22',
  });
  expect((await rest(`/conversations?cursor=${first.nextCursor}`, bob)).status).toBe(400);
});

describe("another principal's conversation", () => {
  test('is as one that does not exist, for every way to it', async () => {
    const id = await talk('Secret');
    const key = await fixture.baton.createKey({ principal: 'bob' });
    const bob = await connectMcpClient(fixture.baton.url(0), key);
    const none = '00000000-0000-8000-8000-000000000000';
    for (const tool of ['get_conversation', 'delete_conversation']) {
      const [theirs, absent] = [
        await callToolForError(bob, tool, { conversationId: id }),
        await callToolForError(bob, tool, { conversationId: none }),
      ];
      expect(JSON.stringify(theirs).replaceAll(id, none)).toBe(JSON.stringify(absent));
      expect(theirs.code).toBe('conversation_not_found');
    }
    const asked = await callToolForError(bob, 'ask_assistant', { message: 'x', conversationId: id });
    expect(asked.code).toBe('conversation_not_found');
    expect((await rest(`/conversations/${id}`, key)).status).toBe(404);
    expect((await rest(`/conversations/${id}`, key, 'DELETE')).status).toBe(404);
    expect(await callTool(bob, 'list_conversations', {})).toEqual({ conversations: [] });
    await bob.close();
  });

  test('is read with the scope agent, and deleted with the scope admin alone', async () => {
    const id = await talk('Kept');
    const agent = await fixture.baton.createKey({ scopes: ['mcp', 'agent'], principal: 'bob' });
    const path = `/conversations/${id}`;
    expect((await rest(path, agent)).status).toBe(200);
    expect(await rest(path, agent, 'DELETE')).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope', scope: 'admin' },
    });
    expect((await rest(path, agent)).status).toBe(200);
    expect((await rest(path, admin, 'DELETE')).status).toBe(204);
  });
});

test('a deleted conversation is gone, and a message that was being answered in it fails by name', async () => {
  const id = await talk('Short-lived');
  const asked = await fixture.ask('More', id);
  expect((await rest(`/conversations/${id}`, fixture.baton.apiKey, 'DELETE')).status).toBe(204);
  const outcome = await fixture.answer(asked.interactionId, { text: 'too late' });
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'conversation_not_found' } });
  expect((await rest(`/conversations/${id}`, fixture.baton.apiKey)).status).toBe(404);
  const { conversations } = await fixture.call('list_conversations', {});
  expect(conversations.map((one: { conversationId: string }) => one.conversationId)).not.toContain(id);
});
