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
