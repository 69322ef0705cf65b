import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { ConsoleFixture } from './console-fixture.ts';

/** Pages that show what was so once: of two operators at the same task, and one that was left open overnight. */
let fixture: ConsoleFixture;
let adminKey: string;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  await fixture.call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
  adminKey = await fixture.baton.createKey({ scopes: ['mcp', 'agent', 'admin'] });
});
afterAll(() => fixture?.stop());

const addTask = (prompt: string): Promise<AnyJson> =>
  fixture.call('add_task', { prompt, projectRoot: 'shop' });
const answer = (interactionId: string, agentLLMResponse: object) =>
  fixture.call('agent_llm', { interactionId, agentLLMResponse, waitMs: 20_000 });
const task = async (taskId: string) => (await fixture.call('task_status', { taskId })) as AnyJson;
const titled = (title: string) => ({
  title,
  description: 'd',
  details: 'x',
  testStrategy: 't',
  dependencies: [],
});

/** A page that goes on showing what it has read of `path` first. Returns what lets it read again. */
async function freeze(page: Page, path: string): Promise<() => Promise<void>> {
  let body: string | undefined;
  const pattern = `**${path}`;
  await page.route(pattern, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    body ??= await (await route.fetch()).text();
    return route.fulfill({ body, contentType: 'application/json' });
  });
  return () => page.unroute(pattern);
}

test('two operators answer one request: one answer counts, and the other is told so when its page has changed as well', async () => {
  const { interactionId, taskId } = await addTask('Build a till');
  const route = `#/interactions/${interactionId}`;
  const late = await fixture.open(adminKey);
  const thaw = await freeze(late, `/interactions/${interactionId}`);
  await late.goto(`${fixture.baton.url(0)}/console/${route}`);
  await late.getByLabel('Answer by hand').fill(JSON.stringify(titled('Late')));
  const first = await fixture.open(adminKey, route);
  await first.getByLabel('Answer by hand').fill(JSON.stringify(titled('First')));
  await first.getByRole('button', { name: 'Answer', exact: true }).click();
  await first.getByText('The answer is taken. The task is completed.').waitFor();
  await first.getByText('What came of it is in the journal of').waitFor();

  await late.getByRole('button', { name: 'Answer', exact: true }).click();
  const refusal = late.locator('.problem').filter({ hasText: /was answered before/ });
  await refusal.waitFor();
  await thaw();
  await late.getByRole('button', { name: 'Reload' }).click();
  await late.getByText('What came of it is in the journal of').waitFor();
  await refusal.waitFor();
  expect(await late.getByLabel('Answer by hand').count()).toBe(0);
  expect((await task(taskId)).result.task.title).toBe('First');
  await Promise.all([first.close(), late.close()]);
});

test('two operators retry one task: it goes on once, and both are told that it does', async () => {
  const { interactionId, taskId } = await addTask('Dig a well');
  await answer(interactionId, { status: 'error', errorDetails: { message: 'no model' } });
  const late = await fixture.open(adminKey);
  const thaw = await freeze(late, `/tasks/${taskId}`);
  await late.goto(`${fixture.baton.url(0)}/console/#/tasks/${taskId}`);
  await late.getByRole('button', { name: 'Retry' }).waitFor();
  const first = await fixture.open(adminKey, `#/tasks/${taskId}`);
  await first.getByRole('button', { name: 'Retry' }).click();
  await first.getByText('The task goes on from its journal.').waitFor();

  await late.getByRole('button', { name: 'Retry' }).click();
  await late.getByText('The task goes on from its journal.').waitFor();
  await thaw();
  await late.getByRole('button', { name: 'Reload' }).click();
  await late.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
  const rows = late.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await rows.filter({ hasText: 'pending' }).waitFor();
  expect(await rows.filter({ hasText: 'pending' }).count()).toBe(1);
  await Promise.all([first.close(), late.close()]);
});

test('a page that is left open overnight, without a network, goes on in the morning with what has changed', async () => {
  const evening = await addTask('Fit a lock');
  const page = await fixture.open(adminKey, '#/interactions');
  const row = (prompt: string) => page.getByRole('row').filter({ hasText: prompt });
  await page.clock.install();
  await row(evening.interactionId).or(row('add_task')).first().waitFor();
  await page.context().setOffline(true);
  await page.clock.fastForward('12:00:00');
  const morning = await addTask('Fit a window');
  await answer(evening.interactionId, { status: 'success', data: { object: titled('Lock') } });
  await page.context().setOffline(false);
  await page.clock.fastForward('01:00');
  await page.locator(`a[href$="${morning.interactionId}"]`).waitFor();
  await page.locator(`a[href$="${evening.interactionId}"]`).waitFor({ state: 'detached' });
  // By the page's clock it was opened twelve hours ago.
  await page.getByText(/^12 h/).first().waitFor();
  await page.close();
});
