import { OperatorStore } from '@baton/store/operator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../../harness/mcp-client.ts';

/** What a tenant's limit `promptTokens` does to requests, over the wire. */
let baton: InProcessDeployment;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
});
afterAll(() => baton.stop());

const REQUIREMENTS = 'The desk works offline for a day. '.repeat(500).trim();
const userText = (directive: AnyJson): string => directive.llmRequestForAgent.messages[1].content;

test('a project made with a tech stack has it in its requests, and the limit promptTokens holds from the next request on', async () => {
  const key = await baton.addTenant('prompts', { promptTokens: 1_000 });
  const [one, other] = await Promise.all([0, 1].map((at) => connectMcpClient(baton.url(at), key)));
  await callTool(one!, 'initialize_project', {
    projectRoot: 'library',
    techStack: 'Rust, Axum, SQLite',
    requirements: REQUIREMENTS,
    rules: ['Every route has a test.'],
  });
  const add = (title: string, more: object = {}) =>
    callTool(one!, 'add_task', { projectRoot: 'library', title, description: `So that ${title}`, ...more });
  await add('books are stored', { details: 'One row per copy.' });
  await add('a book is lent', { dependencies: '1' });
  await add('a lent book is reserved');

  const narrow = await callTool(one!, 'expand_task', { projectRoot: 'library', id: 2 });
  expect(userText(narrow)).toContain('Rust, Axum, SQLite');
  expect(userText(narrow)).toContain('Every route has a test.');
  expect(userText(narrow)).toContain('One row per copy.');
  expect(userText(narrow)).toContain('"title":"a lent book is reserved"');
  expect(userText(narrow)).toMatch(
    /leaves out: the end of the requirements \(\d+ of 16999 characters are shown\)/,
  );
  expect(userText(narrow).length).toBeLessThan(5_500);

  await new OperatorStore(baton.store).update('prompts', { limits: { promptTokens: 20_000 } });
  const wide = await callTool(other!, 'expand_task', { projectRoot: 'library', id: 2 });
  expect(userText(wide)).toContain(REQUIREMENTS);
  expect(userText(wide)).not.toContain('leaves out');

  // The narrow one goes on from what it read.
  const answered = [{ id: 1, title: 'T', description: 'D', details: ' ', testStrategy: 'S' }];
  const answer = (pending: AnyJson, subtasks: object[]) =>
    callTool(other!, 'agent_llm', {
      interactionId: pending.interactionId,
      agentLLMResponse: successAnswer({ subtasks }),
    });
  // Neither text may be empty by the schema, and an answer that leaves one empty is not paid for twice.
  const asked = narrow.llmRequestForAgent.schema.properties.subtasks.items;
  expect(asked.required).toEqual(expect.arrayContaining(['details', 'testStrategy']));
  expect([asked.properties.details.minLength, asked.properties.testStrategy.minLength]).toEqual([1, 1]);
  const done = await answer(narrow, answered);
  expect(done.outcome).toMatchObject({ status: 'completed', result: { subtasksAdded: 1 } });
  await Promise.all([one!.close(), other!.close()]);
});

const EIGHT: readonly (readonly [name: string, args: object])[] = [
  ['parse_prd', { prd: '# Fines\n\nA reader pays.', append: true }],
  ['analyze_project_complexity', { ids: '2' }],
  ['expand_task', { id: 2 }],
  ['expand_all', {}],
  ['update', { from: 2, prompt: 'Loans last three weeks.' }],
  ['update_task', { id: 2, prompt: 'Loans last three weeks.' }],
  ['update_subtask', { id: '2.1', prompt: 'The row has the desk.' }],
  ['add_task', { prompt: 'A reader reserves a copy.', dependencies: '1' }],
];

test.each(EIGHT)('%s asks with what a good answer needs', async (name, args) => {
  const [client, other] = await Promise.all(
    [0, 1].map((at) => connectMcpClient(baton.url(at), baton.apiKey)),
  );
  const projectRoot = `library-${name}`;
  const call = (tool: string, more: object) => callTool(client!, tool, { projectRoot, ...more });
  await call('initialize_project', {
    techStack: 'Rust, Axum, SQLite',
    requirements: 'The desk works offline for a day.',
    rules: ['Every route has a test.'],
  });
  await call('add_task', { title: 'Store books', description: 'Tables.', details: 'One row per copy.' });
  await call('add_subtask', { id: 1, title: 'Choose keys', description: 'Of books.' });
  await call('add_task', { title: 'Lend a book', description: 'For four weeks.', dependencies: '1' });
  if (name !== 'expand_all')
    await call('add_subtask', { id: 2, title: 'Write the loan', description: 'A row.' });
  const note = await call('update_subtask', { id: '1.1', prompt: 'What of old books?' });
  await callTool(other!, 'agent_llm', {
    interactionId: note.interactionId,
    agentLLMResponse: { status: 'success', data: { text: 'Old books have no ISBN.' } },
    waitMs: 20_000,
  });
  await call('set_task_status', { id: '1.1,1', status: 'done' });

  const asked = await call(name, { ...args, research: true });
  const [system, user] = asked.llmRequestForAgent.messages.map(({ content }: AnyJson) => content);
  for (const known of ['Rust, Axum, SQLite', 'The desk works offline', 'Every route has a test.'])
    expect(user).toContain(known);
  // parse_prd and analysis of one task tell in short what is done.
  if (name !== 'parse_prd') expect(user).toContain('One row per copy.');
  expect(user, 'what was found out').toContain('Old books have no ISBN.');
  expect(system, 'to look at the code, and to say where').toMatch(/look at [^.]*code|look before/i);
  expect(system, 'to cite').toMatch(/cite the address/i);
  const schema = JSON.stringify(asked.llmRequestForAgent.schema ?? {});
  if (/^(parse_prd|expand_|add_task)/.test(name)) {
    expect(schema).toMatch(/"details":\{[^}]*"minLength":1/);
    expect(schema).toMatch(/"testStrategy":\{[^}]*"minLength":1/);
  }
  await Promise.all([client!.close(), other!.close()]);
});
