import { randomUUID } from 'node:crypto';
import { formatInteractionId, taskIdFromUuid } from '@baton/protocol';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';

/** `interactionId` beside `delegatedCallDetails`, as claude-task-master sends it (seed 1, step 2): a request under its caller's own id. */
let baton: InProcessDeployment;
let ann: Client;
let annElsewhere: Client;
let bob: Client;
let agent: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  const key = await baton.createKey({ principal: 'ann' });
  ann = await connectMcpClient(baton.url(0), key);
  annElsewhere = await connectMcpClient(baton.url(1), key);
  bob = await connectMcpClient(baton.url(1), await baton.createKey({ principal: 'bob' }));
  agent = await connectMcpClient(
    baton.url(1),
    await baton.createKey({ scopes: ['mcp', 'agent'], principal: 'agent' }),
  );
});
afterAll(() => baton?.stop());

const details = (text: string, serviceType = 'generateText') => ({
  originalCommand: 'translate',
  role: 'main',
  serviceType,
  requestParameters: { messages: [{ role: 'user', content: text }] },
});
const open = (client: Client, interactionId: string, text = 'hello', meta?: object): Promise<AnyJson> =>
  callTool(
    client,
    'agent_llm',
    { interactionId, delegatedCallDetails: details(text), projectRoot: '/a/b' },
    meta,
  );
const answer = (client: Client, interactionId: string, text: string, more: object = {}): Promise<AnyJson> =>
  callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { text } },
    ...more,
  });

test('a request opens under the id that its caller gave it, and is answered under that on any replica', async () => {
  const given = randomUUID();
  const asked = await open(ann, given);
  expect(asked).toMatchObject({
    status: 'pending_agent_llm_action',
    interactionId: given,
    pendingInteractionSignalToAgent: { interactionId: given },
    assignedInteractionId: formatInteractionId(asked.taskId, 1),
  });
  const confirmed = await answer(annElsewhere, given, 'Bonjour', { projectRoot: '/another/folder' });
  expect(confirmed).toMatchObject({
    status: 'agent_response_processed_by_taskmaster',
    interactionId: given,
    taskId: asked.taskId,
    outcome: { status: 'completed', result: { response: 'Bonjour', taskId: asked.taskId } },
  });
  expect(await answer(ann, given, 'Bonjour')).toMatchObject({ interactionId: given, replayed: true });
  expect(await answer(ann, asked.assignedInteractionId, 'Bonjour')).toMatchObject({ replayed: true });
  const other = { interactionId: given, agentLLMResponse: { status: 'success', data: { text: 'Salut' } } };
  expect((await callToolForError(ann, 'agent_llm', other)).code).toBe('interaction_already_answered');
});

test('everyone else knows it under the id that Baton assigned, and answers under that', async () => {
  const given = 'any text of up to a hundred characters';
  const asked = await open(ann, given, 'shared');
  const { interactions } = await callTool(agent, 'pending_interactions', {});
  const ids = interactions.map(({ interactionId }: AnyJson) => interactionId);
  expect(ids).toContain(asked.assignedInteractionId);
  expect(ids).not.toContain(given);
  const attempt = (client: Client, interactionId: string) =>
    callToolForError(client, 'agent_llm', {
      interactionId,
      agentLLMResponse: { status: 'success', data: { text: 'x' } },
    });
  const never = await attempt(bob, 'an id that nobody has given');
  for (const client of [bob, agent]) {
    const refused = await attempt(client, given);
    expect(JSON.stringify(refused).replaceAll(given, '@')).toBe(
      JSON.stringify(never).replaceAll('an id that nobody has given', '@'),
    );
  }
  expect((await answer(agent, asked.assignedInteractionId, 'Done')).outcome.status).toBe('completed');
});

test("an id is its principal's: the same call again is the same request, another call a conflict, and another principal has its own", async () => {
  const given = randomUUID();
  const [first, again] = [await open(ann, given, 'once'), await open(annElsewhere, given, 'once')];
  expect([again.taskId, again.interactionId]).toEqual([first.taskId, given]);
  const different = { interactionId: given, delegatedCallDetails: details('something else') };
  expect((await callToolForError(ann, 'agent_llm', different)).code).toBe('idempotency_conflict');
  const theirs = await open(bob, given, 'something else');
  expect(theirs.taskId).not.toBe(first.taskId);
  await answer(bob, given, 'of bob');
  expect((await callTool(ann, 'task_status', { taskId: first.taskId })).status).toBe('input_required');
  await answer(ann, given, 'of ann');
  const ended = await open(ann, given, 'once');
  expect(ended).toMatchObject({ status: 'completed', response: 'of ann', taskId: first.taskId });
});

test('a request that is asked again has an id of its own, which the outcome tells', async () => {
  const given = randomUUID();
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const { requestParameters, ...others } = details('an object', 'generateObject');
  const delegatedCallDetails = { ...others, requestParameters: { ...requestParameters, schema } };
  const call = { interactionId: given, delegatedCallDetails };
  const asked = await callTool(ann, 'agent_llm', call);
  const { outcome } = await answer(ann, given, 'no JSON');
  expect(outcome.pending.interactionId).toBe(formatInteractionId(asked.taskId, 2));
  const shown = await callTool(ann, 'agent_llm', call);
  expect(shown.interactionId, 'the first request is over').toBe(outcome.pending.interactionId);
  expect((await answer(ann, outcome.pending.interactionId, '{"n":1}')).outcome.status).toBe('completed');
});

test.each<[string, object, object | undefined]>([
  [
    'of the form that Baton gives out',
    { interactionId: formatInteractionId(taskIdFromUuid(randomUUID()), 1) },
    undefined,
  ],
  ['beside an idempotency key', { interactionId: 'mine' }, { 'baton/idempotencyKey': 'k' }],
  ['of more than 100 characters', { interactionId: 'x'.repeat(101) }, undefined],
  ['that is no text', { interactionId: 7 }, undefined],
])('an id %s is refused, naming the field', async (_what, id, meta) => {
  const args = { ...id, delegatedCallDetails: details('refused') };
  const error = await callToolForError(ann, 'agent_llm', args, meta);
  expect([error.code, error.field]).toEqual(['invalid_arguments', 'interactionId']);
});

test('projectRoot with an answer is taken and never compared', async () => {
  const asked = await callTool(ann, 'parse_prd', { prd: 'A shop.', numTasks: 1, projectRoot: 'shop' });
  const { outcome } = await callTool(ann, 'agent_llm', {
    interactionId: asked.interactionId,
    projectRoot: '/home/somebody/elsewhere',
    agentLLMResponse: { status: 'success', data: { tasks: [{ id: 1, title: 'Shop', description: 'It' }] } },
  });
  expect(outcome.result).toMatchObject({ status: 'completed', projectRoot: 'shop' });
});
