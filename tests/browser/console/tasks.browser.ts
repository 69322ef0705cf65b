import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../harness/in-process-deployment.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { ConsoleFixture } from './console-fixture.ts';

/** The console's tasks, as a tenant's admin and as the operator have them. */
let fixture: ConsoleFixture;
let page: Page;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  await fixture.call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
  const adminKey = await fixture.baton.createKey({ scopes: ['mcp', 'admin'] });
  page = await fixture.open(adminKey, '#/tasks');
});
afterAll(() => fixture?.stop());

const addTask = (prompt: string): Promise<AnyJson> =>
  fixture.call('add_task', { prompt, projectRoot: 'shop' });

const answer = (interactionId: string, agentLLMResponse: object) =>
  fixture.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });

const show = (route: string, on = page) => on.goto(`${fixture.baton.url(0)}/console/#${route}`);

const FAILURE = { status: 'error', errorDetails: { message: 'no model' } };
const OBJECT = { title: 'T', description: 'd', details: 'x', testStrategy: 't', dependencies: [] };

test('a task is shown as a waterfall that goes on while it waits, and ends with it', async () => {
  const { interactionId, taskId } = await addTask('Build a till');
  await show(`/tasks/${taskId}`);
  const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await rows.filter({ hasText: 'pending' }).waitFor();
  expect(await rows.first().innerText()).toContain('Worker');
  await answer(interactionId, { status: 'success', data: { object: OBJECT } });
  await rows.filter({ hasText: 'completed' }).waitFor();
  expect(await rows.filter({ hasText: /answered by/ }).count()).toBe(1);
  const texts = await rows.allInnerTexts();
  expect(texts.map((text) => text.split('\n')[0]?.replace(/ by .*/, ''))).toEqual([
    'Worker',
    'Interaction answered',
    'Worker',
    'completed',
  ]);
});

test('arguments, journal and result are shown once asked for', async () => {
  const { interactionId, taskId } = await addTask('Paint a wall');
  await answer(interactionId, { status: 'success', data: { object: { ...OBJECT, title: 'Wall' } } });
  await show(`/tasks/${taskId}`);
  await page.getByRole('list', { name: 'Timeline' }).getByText('completed').waitFor();
  expect(await page.locator('pre').count()).toBe(0);
  await page.getByText('Arguments').click();
  await page.locator('pre').getByText('Paint a wall').waitFor();
  await page.getByText(/^Journal/).click();
  await page.locator('.journal').getByText('Wall').first().waitFor();
});

test('a failed task is retried and goes on; its retry is in the waterfall', async () => {
  const { interactionId, taskId } = await addTask('Dig a well');
  await answer(interactionId, FAILURE);
  await show(`/tasks/${taskId}`);
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('The task goes on from its journal.').waitFor();
  const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await rows.filter({ hasText: 'pending' }).waitFor();
  expect(await rows.filter({ hasText: 'failed' }).count()).toBe(1);
});

test('several are cancelled at once, confirmed with their count; what cannot be done is told', async () => {
  const tasks = [await addTask('One'), await addTask('Two'), await addTask('Three')];
  await show('/tasks?status=input_required');
  const choose = (taskId: string) => page.getByRole('checkbox', { name: `Choose ${taskId}` });
  for (const { taskId } of tasks) await choose(taskId).check();
  // Another operator is faster with one of them.
  await page.getByRole('button', { name: 'Cancel chosen (3)' }).click();
  await page.getByText('Cancel 3 tasks?').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Cancel chosen (3)' }).isEnabled()).toBe(true);
  await page.getByRole('button', { name: 'Retry chosen (3)' }).click();
  await page.getByRole('button', { name: 'Retry 3' }).click();
  await page.getByText(/Retry: 0 of 3 tasks done\./).waitFor();
  for (const { taskId } of tasks) await choose(taskId).check();
  await page.getByRole('button', { name: 'Cancel chosen (3)' }).click();
  await page.getByRole('button', { name: 'Cancel 3' }).click();
  await page.getByText('Cancel: 3 of 3 tasks done.').waitFor();
  for (const { taskId } of tasks) await choose(taskId).waitFor({ state: 'detached' });
});

test('the server pages: the page holds 50 rows, and goes on and back', async () => {
  for (let n = 0; n < 52; n++) await addTask(`Stone ${n}`);
  await show('/tasks?status=input_required');
  const rows = page.locator('tbody tr');
  await page.getByText('Page 1').waitFor();
  expect(await rows.count()).toBe(50);
  const first = await rows.first().innerText();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Page 2').waitFor();
  await page.getByRole('button', { name: 'Next' }).and(page.locator(':disabled')).waitFor();
  expect(await rows.count()).toBeLessThan(50);
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('Page 1').waitFor();
  await page.locator('tbody tr:nth-child(50)').waitFor();
  expect((await rows.first().innerText()).split('\t')[1]).toBe(first.split('\t')[1]);
});

test('an operator chooses a tenant, answers by hand for it, and goes back', async () => {
  await fixture.baton.addTenant('other');
  const { interactionId } = await addTask('For the operator');
  const operators = await fixture.open(OPERATOR_TOKEN);
  await operators.getByRole('button', { name: 'other' }).waitFor();
  await operators.getByRole('button', { name: 'acme' }).click();
  await show(`/interactions/${interactionId}`, operators);
  await operators.reload();
  // The page keeps no credential.
  await fixture.signIn(operators, OPERATOR_TOKEN);
  await operators.getByRole('button', { name: 'acme' }).click();
  await operators.getByLabel('Answer by hand').fill(JSON.stringify(OBJECT));
  await operators.getByRole('button', { name: 'Answer', exact: true }).click();
  await operators.getByText('What came of it is in the journal of').waitFor();
  await operators.getByRole('button', { name: 'Tenants' }).click();
  await operators.getByRole('button', { name: 'other' }).waitFor();
  await operators.close();
});

test('a wrong credential is refused in words, and stands nowhere in the page or its storage', async () => {
  const strangers = await fixture.open(fixture.baton.apiKey);
  await strangers.getByRole('button', { name: 'Sign out' }).click();
  await strangers.getByText('You are signed out.').waitFor();
  await strangers.getByLabel('API key or operator token').fill('bat_acme_wrong_key');
  await strangers.getByRole('button', { name: 'Sign in' }).click();
  await strangers.locator('.problem').waitFor();
  const stored = await strangers.evaluate(
    'JSON.stringify([Object.keys(localStorage), Object.keys(sessionStorage), document.cookie, location.href])',
  );
  expect(stored).toBe(JSON.stringify([[], [], '', strangers.url()]));
  expect(strangers.url()).not.toContain('bat_');
  await strangers.close();
});

test('axe finds nothing serious on a task in either size and theme', async () => {
  const { interactionId, taskId } = await addTask('Look at me');
  await answer(interactionId, FAILURE);
  await show(`/tasks/${taskId}`);
  await page.getByRole('list', { name: 'Timeline' }).getByText('failed').waitFor();
  expect(await fixture.findVisibleFaults(page, 'task')).toEqual([]);
});
