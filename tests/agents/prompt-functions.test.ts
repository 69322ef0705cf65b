import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** Functions of a prompt that are more than one step: operations of Baton, and a computer of the caller. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture?.stop());

const put = (name: string, more: object = {}) => fixture.putPrompt(name, { text: 'Why?', ...more });

const call = (name: string, more: object = {}) => fixture.call('call_prompt', { name, ...more });
const messagesOf = (directive: AnyJson): AnyJson[] => directive.llmRequestForAgent.messages;
const textsOf = (directive: AnyJson) => messagesOf(directive).map(({ content }) => content);

describe('functions of a prompt', () => {
  test('of a computer end the call for the caller to carry them out, as often as the model likes', async () => {
    await put('clicks', { hints: { computerUse: { displayWidth: 800, displayHeight: 600 } } });
    const look = calling({ name: 'computer', arguments: { action: 'screenshot' } });
    let reply = await fixture.answer((await call('clicks')).interactionId, look);
    for (const at of [1, 2]) {
      const { toolCalls, continueWith, response } = reply.result;
      expect([response, toolCalls]).toMatchObject([
        null,
        [{ name: 'computer', arguments: { action: 'screenshot' } }],
      ]);
      const shot = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
      const tool = { role: 'tool', tool_call_id: toolCalls[0].id, content: [shot] };
      const next = await call('clicks', { messages: [...continueWith, tool] });
      expect(messagesOf(next).filter(({ role }: AnyJson) => role === 'tool')).toHaveLength(at);
      reply = await fixture.answer(next.interactionId, at === 1 ? look : { text: 'Done.' });
    }
    expect(reply.result.response).toBe('Done.');
    expect(reply.result.functionCalls).toHaveLength(2);
  });

  test('that are operations run within the call: their requests are delegated too, and the model reads what they did', async () => {
    const projectRoot = 'planned-by-a-prompt';
    await put('plans', { functions: ['parse_prd', 'expand_task', 'next_task'] });
    const asked = await call('plans');
    const args = { prd: 'A shop.', numTasks: 1, projectRoot };
    const inner = await fixture.answer(asked.interactionId, calling({ name: 'parse_prd', arguments: args }));
    expect(inner.pending.taskId).toBe(asked.taskId);
    expect(textsOf(inner.pending).at(-1)).toContain('A shop.');
    const task = {
      id: 1,
      title: 'Catalogue',
      description: 'Show it',
      details: 'A list',
      testStrategy: 'Look',
    };
    const outer = await fixture.answer(inner.pending.interactionId, { object: { tasks: [task] } });
    expect(messagesOf(outer.pending).at(-1)).toMatchObject({ role: 'tool' });
    expect(textsOf(outer.pending).at(-1)).toContain('Catalogue');
    const unknown = { id: '7', projectRoot };
    const failed = await fixture.answer(
      outer.pending.interactionId,
      calling({ name: 'expand_task', arguments: unknown }),
    );
    expect(textsOf(failed.pending).at(-1)).toContain('project_task_not_found');
    const { result } = await fixture.answer(failed.pending.interactionId, { text: 'Planned.' });
    expect(result.response).toBe('Planned.');
    expect(result.functionCalls).toMatchObject([
      { name: 'parse_prd', result: { tasksAdded: 1 } },
      { name: 'expand_task', error_message: expect.stringContaining('project_task_not_found') },
    ]);
  });
});
