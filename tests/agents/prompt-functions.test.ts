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

  test('are any tool of Baton: one that Baton does not run itself is the caller’s to run, and a prompt that was read can be put again', async () => {
    const { tools } = await fixture.clients[0]!.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['agent_llm', 'task_status', 'call_prompt', 'next_task']));
    for (const { name, description, inputSchema } of tools) {
      await put('any', { functions: [name] });
      const shown = (await fixture.getPrompt('any')).definition;
      await put('any', shown);
      const { tools: offered } = (await call('any')).llmRequestForAgent;
      expect(offered.map((tool: AnyJson) => tool.function.name)).toEqual([name]);
      if (typeof shown.functions[0] !== 'string')
        expect(shown.functions).toEqual([{ name, description, parameters: inputSchema }]);
    }
  });

  test('that are the caller’s to run are called with its own key', async () => {
    await put('looks', { functions: ['task_status'] });
    const asked = await call('looks');
    const wanted = calling({ name: 'task_status', arguments: { taskId: asked.taskId } });
    const { result } = await fixture.answer(asked.interactionId, wanted);
    const [{ id, name, arguments: args }] = result.toolCalls;
    const content = JSON.stringify(await fixture.call(name, args));
    const messages = [...result.continueWith, { role: 'tool', tool_call_id: id, content }];
    const next = await call('looks', { messages });
    expect(textsOf(next).at(-1)).toContain('"status":"completed"');
  });

  test('that have failed, or given an object, stand so in the calls of a dialog that goes on', async () => {
    const projectRoot = 'goes-on';
    await fixture.call('initialize_project', { projectRoot });
    await fixture.call('add_task', { projectRoot, title: 'Catalogue', description: 'Show it' });
    await put('kept', {
      functions: ['get_task', { name: 'lookup', parameters: { type: 'object' } }],
    });
    const get = (id: number) => ({ name: 'get_task', arguments: { projectRoot, id } });
    const ran = await fixture.answer((await call('kept')).interactionId, calling(get(777), get(1)));
    const lookup = { name: 'lookup', arguments: {} };
    const { result } = await fixture.answer(ran.pending.interactionId, calling(lookup));
    const [failed, got] = result.functionCalls;
    expect(failed).toMatchObject({ error_message: expect.stringContaining('project_task_not_found') });
    expect(failed).not.toHaveProperty('result');
    expect(got).toMatchObject({ result: { task: { title: 'Catalogue' } } });

    // What the caller says of its own function is as it says it.
    const told = { role: 'tool', tool_call_id: result.toolCalls[0].id, content: 'Error: {}' };
    const next = await call('kept', { messages: [...result.continueWith, told] });
    const { result: end } = await fixture.answer(next.interactionId, { text: 'Done.' });
    expect(end.functionCalls).toEqual([
      failed,
      got,
      {
        id: told.tool_call_id,
        ...lookup,
        result: 'Error: {}',
        result_str: 'Error: {}',
        repeated: false,
      },
    ]);
  });

  test('are run by Baton beside those of the caller; one call continues the other', async () => {
    const projectRoot = 'beside';
    await fixture.call('initialize_project', { projectRoot });
    await fixture.call('add_task', { projectRoot, title: 'Catalogue', description: 'Show it' });
    const lookup = { name: 'lookup', parameters: { type: 'object' } };
    const interruptHandler = 'Known: {call_results}';
    await put('mixed', { functions: ['next_task', lookup], interruptHandler });
    const asked = await call('mixed');
    const offered = asked.llmRequestForAgent.tools.map((tool: AnyJson) => tool.function.name);
    expect(offered.toSorted()).toEqual(['lookup', 'next_task']);

    const nextTask = { name: 'next_task', arguments: { projectRoot } };
    const ran = await fixture.answer(asked.interactionId, calling(nextTask));
    expect(textsOf(ran.pending).at(-1)).toMatch(/^Known: next_task: .*Catalogue/s);
    const rain = { name: 'lookup', arguments: { q: 'rain' } };
    const { result } = await fixture.answer(
      ran.pending.interactionId,
      calling(rain, { name: 'next_task', arguments: { projectRoot, tag: 'other' } }),
    );
    expect(result.toolCalls).toEqual([{ id: expect.any(String), ...rain }]);
    expect(result.functionCalls).toMatchObject([nextTask]);
    const roles = result.continueWith.map(({ role }: AnyJson) => role);
    expect(roles).toEqual(['assistant', 'tool', 'assistant']);
    const ids = result.continueWith.flatMap((turn: AnyJson) => turn.tool_calls ?? []);
    expect(new Set(ids.map(({ id }: AnyJson) => id)).size).toBe(2);

    const wet = { role: 'tool', tool_call_id: result.toolCalls[0].id, content: 'wet' };
    const next = await call('mixed', { messages: [...result.continueWith, wet] });
    const told = textsOf(next).slice(1);
    expect(told[1]).toMatch(/^Known: next_task: .*Catalogue/s);
    expect(told[1].match(/Known/g)).toHaveLength(1);
    expect(told.at(-1)).toBe('Known: lookup: wet');
    const repeated = await fixture.answer(next.interactionId, calling(nextTask), 0);
    expect(textsOf(repeated.pending).at(-1)).toContain(ids[0].id);
    const { result: end } = await fixture.answer(repeated.pending.interactionId, { text: 'Take it along.' });
    expect(end.response).toBe('Take it along.');
    expect(end.functionCalls).toMatchObject([
      { name: 'next_task', repeated: false },
      { name: 'lookup', result_str: 'wet' },
      { name: 'next_task', repeated: true },
    ]);
  });
});
