import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnyJson, callTool, successAnswer } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** The second generation of the official client, one at each of two replicas. */
let fixture: WorkflowFixture;
let clients: readonly [Client, Client];

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  await callTool(fixture.clients[0], 'add_task', { title: 'Dig', description: 'Dig.' });
  clients = [await connect(0), await connect(1)];
  await fixture.put('whole', [{ name: 'next', tool: 'next_task' }]);
  await fixture.put(
    'plan',
    [
      { name: 'ask', tool: 'bench_echo', arguments: { text: '{{args.text}}' } },
      { name: 'find', tool: 'get_task', arguments: { id: 77 } },
      { name: 'list', tool: 'get_tasks' },
    ],
    { arguments: [{ name: 'text', required: true }] },
  );
});
afterAll(async () => {
  await Promise.all((clients ?? []).map((client) => client.close()));
  await fixture?.stop();
});

async function connect(at: number): Promise<Client> {
  const client = new Client({ name: 'second', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${fixture.key}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${fixture.baton.url(at)}/mcp`), { requestInit }),
  );
  return client;
}

async function call(at: 0 | 1, name: string, args: object, taskId?: string): Promise<AnyJson> {
  const meta = taskId === undefined ? {} : { _meta: { _task_id: taskId } };
  return clients[at].callTool({ name, arguments: args as Record<string, unknown>, ...meta });
}

test('the client of the second SDK lists prompts, and gets one that the server runs to its end', async () => {
  const { prompts } = await clients[0].listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual([
    'baton.next_task',
    'baton.plan_document',
    'baton.review_plan',
    'plan',
    'whole',
  ]);
  const got: AnyJson = await clients[1].getPrompt({ name: 'whole' });
  expect(got._meta.task_status).toBe('completed');
  expect(got.messages.at(-1).content.text).toContain('nothing is left to do');
});

test('it does what is left in another order, with other arguments and repeats, at both replicas, and ends the workflow', async () => {
  const got: AnyJson = await clients[0].getPrompt({ name: 'plan', arguments: { text: 'x' } });
  const taskId = got._meta.task_id as string;
  expect(got._meta.task_status).toBe('working');
  const [, interactionId] =
    /"interactionId":"([^"]+)"/.exec(JSON.stringify(got.messages).replaceAll('\\', '')) ?? [];
  const listed = await call(1, 'get_tasks', { status: 'pending' }, taskId);
  expect(listed._meta['baton/continuation']).toEqual({ recorded: true, step: 'list', remaining: 2 });
  const found = await call(0, 'get_task', { id: 1 }, taskId);
  expect(found._meta['baton/continuation']).toEqual({ recorded: true, step: 'find', remaining: 1 });
  await call(1, 'get_task', { id: 1 }, taskId);
  await call(1, 'agent_llm', { interactionId, agentLLMResponse: successAnswer({ object: { value: 'y' } }) });
  const { structuredContent: stands } = await call(0, 'task_status', { taskId });
  expect(stands).toMatchObject({ status: 'working', remaining: [] });
  expect(stands.variables['_workflow.progress']).toMatchObject({ completed: 3, total: 3 });
  await call(1, 'complete_task', { taskId, result: { done: true } });
  const late = await call(0, 'get_tasks', {}, taskId);
  expect(late._meta['baton/continuation']).toEqual({ recorded: false, reason: 'ended' });
});
