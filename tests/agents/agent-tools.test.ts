import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callToolForError } from '../harness/mcp-client.ts';
import { AgentsFixture, calling } from './agents-fixture.ts';

/** Specialists as tools of their own: `agent_<id>`. */
let fixture: AgentsFixture;
beforeAll(async () => {
  fixture = await AgentsFixture.start();
});
afterAll(() => fixture.stop());

test('a call of a specialist is delegated with its instructions and model, and ends with its words [agent-task]', async () => {
  const asked = await fixture.call('agent_web_search', { query: 'weather' });
  expect(asked).toMatchObject({ status: 'pending_agent_llm_action', operation: 'ask_agent' });
  expect(asked.llmRequestForAgent).toMatchObject({
    modelId: 'search-model',
    webSearchEnabled: true,
    messages: [
      { role: 'system', content: 'You search the web.' },
      { role: 'user', content: '{"query":"weather"}' },
    ],
  });
  expect(asked.llmRequestForAgent.tools).toBeUndefined();
  const { result } = await fixture.answer(asked.interactionId, { text: 'Sunny.' });
  expect(result).toMatchObject({ agentId: 'web_search', response: 'Sunny.', functionCalls: [] });
});

test('one with a group may call the specialists of it, and no others [agent-group]', async () => {
  const lead = { id: 'lead', name: 'Lead', instructions: 'You lead.', group: ['coder'] };
  await fixture.putAgent(lead);
  const asked = await fixture.call('agent_lead', { message: 'Write it' }, 1);
  expect(asked.llmRequestForAgent.tools.map((tool: AnyJson) => tool.function.name)).toEqual(['coder']);
  const step = await fixture.answer(
    asked.interactionId,
    calling({ name: 'coder', arguments: { message: 'x' } }),
  );
  expect(step.pending.llmRequestForAgent.messages[0].content).toBe('You write code.');
  const coded = await fixture.answer(step.pending.interactionId, { text: 'code' });
  const { result } = await fixture.answer(coded.pending.interactionId, { text: 'It is written.' });
  expect(result).toMatchObject({ agentId: 'lead', response: 'It is written.' });
  expect(result.functionCalls).toMatchObject([{ name: 'coder', result: 'code' }]);
});

test('a call of an agent outside of the group is not run, and the model is told whom it may call [agent-group]', async () => {
  await fixture.putAgent({ id: 'narrow', name: 'Narrow', instructions: 'You lead.', group: ['coder'] });
  const asked = await fixture.call('agent_narrow', { message: 'Search' });
  const outside = calling({ name: 'web_search', arguments: { query: 'x' } });
  const step = await fixture.answer(asked.interactionId, outside);
  expect(step.pending.llmRequestForAgent.messages[0].content).toBe('You lead.');
  expect(step.pending.llmRequestForAgent.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: "Error: There is no function 'web_search'. There are: coder.",
  });
  const { result } = await fixture.answer(step.pending.interactionId, { text: 'Alone, then.' });
  expect(result.functionCalls).toMatchObject([{ name: 'web_search', error_message: expect.any(String) }]);
});

test('arguments that do not fit, the primary and a disabled agent are refused by name', async () => {
  const [client] = fixture.clients;
  const misfit = { q: 1 };
  expect(await callToolForError(client!, 'agent_web_search', misfit)).toMatchObject({
    code: 'invalid_arguments',
    field: 'query',
    message: expect.stringContaining('query: is required'),
  });
  expect(await callToolForError(client!, 'agent_coder', { message: ' ' })).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('message: must not be blank'),
  });
  const disabled = { id: 'off', name: 'Off', instructions: 'x', enabled: false };
  await fixture.putAgent(disabled);
  for (const name of ['agent_assistant', 'agent_off', 'agent_nobody', 'agent_law'])
    await expect(client!.callTool({ name, arguments: { message: 'x' } })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(
        `Unknown tool: ${name}. There is no enabled specialist '${name.slice('agent_'.length)}'.`,
      ),
    });
});

test('an idempotency key is that of one specialist, and of one only', async () => {
  const meta = { 'baton/idempotencyKey': 'the same' };
  await fixture.putAgent({ id: 'poet', name: 'Poet', instructions: 'You write poems.' });
  const coded = await fixture.call('agent_coder', { message: 'x' }, 0, meta);
  const written = await fixture.call('agent_poet', { message: 'x' }, 1, meta);
  expect(coded.llmRequestForAgent.messages[0].content).toBe('You write code.');
  expect(written.llmRequestForAgent.messages[0].content).toBe('You write poems.');
  expect((await fixture.call('agent_coder', { message: 'x' }, 1, meta)).taskId).toBe(coded.taskId);
  const other = await callToolForError(fixture.clients[0]!, 'agent_coder', { message: 'y' }, meta);
  expect(other).toMatchObject({ code: 'idempotency_conflict', taskId: coded.taskId });
});

test('a specialist called as a task gives the task at once, and its result is that of a call', async () => {
  const [client] = fixture.clients;
  const start = (args: object) =>
    client!.request(
      { method: 'tools/call', params: { name: 'agent_coder', arguments: args, task: {} } },
      CreateTaskResultSchema,
    );
  const { task } = await start({ message: 'as a task' });
  expect(task.status).toBe('working');
  const { pending } = await fixture.waitForOther(task.taskId, '');
  expect(pending.llmRequestForAgent.messages.map(({ content }: AnyJson) => content)).toEqual([
    'You write code.',
    'as a task',
  ]);
  await fixture.answer(pending.interactionId, { text: 'code' });
  const { structuredContent } = await fixture.clients[1]!.request(
    { method: 'tasks/result', params: { taskId: task.taskId } },
    CallToolResultSchema,
  );
  expect(structuredContent).toMatchObject({ agentId: 'coder', response: 'code', status: 'completed' });
  await expect(start({ message: 7 })).rejects.toThrow(/message/);
  const unknown = {
    method: 'tools/call',
    params: { name: 'agent_nobody', arguments: {}, task: {} },
  } as const;
  await expect(client!.request(unknown, CreateTaskResultSchema)).rejects.toMatchObject({ code: -32602 });
});

test('a specialist is a step of a workflow: its task is recorded when it ends; one that is not there is refused', async () => {
  const admin = await fixture.baton.createKey({ scopes: ['admin'] });
  const put = async (name: string, tool: string) => {
    const steps = [
      { name: 'ask', tool, arguments: { message: 'About {{args.what}}' } },
      { name: 'next', tool: 'list_tags', arguments: { projectRoot: '{{steps.ask.response}}' } },
    ];
    const body = { name, description: 'ask', arguments: [{ name: 'what', required: true }], steps };
    const response = await fetch(`${fixture.baton.url(1)}/v1/workflows/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as AnyJson };
  };
  for (const tool of ['agent_nobody', 'agent_assistant'])
    expect(await put('refused', tool)).toMatchObject({
      status: 400,
      body: { code: 'invalid_arguments', detail: expect.stringContaining(`there is no tool '${tool}'`) },
    });
  expect((await put('asks', 'agent_coder')).status).toBe(200);
  const run: AnyJson = await fixture.clients[0]!.getPrompt({ name: 'asks', arguments: { what: 'tags' } });
  const taskId = run._meta.task_id;
  const asked = (await fixture.call('pending_interactions', { requests: true })).interactions.find(
    ({ llmRequestForAgent }: AnyJson) => llmRequestForAgent.messages.at(-1).content === 'About tags',
  );
  expect(asked.llmRequestForAgent.messages[0].content).toBe('You write code.');
  await fixture.answer(asked.interactionId, { text: 'default' });
  const gone = await fixture.call('resume_workflow', { taskId }, 1);
  expect(JSON.stringify(gone)).toContain('"response":"default"');
  expect((await fixture.call('task_status', { taskId })).variables).toMatchObject({
    '_workflow.result.ask': { agentId: 'coder', response: 'default' },
  });
});
