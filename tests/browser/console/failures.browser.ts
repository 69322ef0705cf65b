import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleFixture } from './console-fixture.ts';

/** What the console says and does while Baton refuses or does not answer. Each page is stood between it and Baton. */
let fixture: ConsoleFixture;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  await fixture.call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
});
afterAll(() => fixture?.stop());

const TASKS = /\/v1\/tasks(\?|$)/;

/** A page whose lists nothing but its own repetitions and its button read again. */
async function openWithoutEvents(): Promise<Page> {
  const page = await fixture.openAt(`${fixture.baton.url(0)}/console/#/keys`);
  await page.addInitScript(`
    const expired = [];
    AbortSignal.timeout = () => { const one = new AbortController(); expired.push(one); return one.signal; };
    globalThis.expireReadings = () => expired.forEach((one) => one.abort(new DOMException('', 'TimeoutError')));
  `);
  await page.reload();
  await page.route('**/v1/events**', () => {});
  await fixture.signIn(page, fixture.baton.apiKey);
  return page;
}

test('a sign-in that is refused for now says so itself, and not that a key manages no tenants', async () => {
  const page = await fixture.openAt(`${fixture.baton.url(0)}/console/`);
  for (const [status, code, detail] of [
    [503, 'unavailable', 'Redis cannot take it now.'],
    [429, 'limit_rate', 'The rate is used up.'],
  ] as const) {
    await page.route('**/v1/key', (route) => route.fulfill({ status, json: { code, detail } }));
    await page.getByLabel('API key or operator token').fill(fixture.baton.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.problem').getByText(detail).waitFor();
    await page.unroute('**/v1/key');
  }
  await page.route('**/v1/key', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.problem').getByText('Baton does not answer.', { exact: true }).waitFor();
  await page.close();
});

test('an action without an answer is not said to be repeated', async () => {
  const page = await fixture.open(fixture.baton.apiKey, '#/workflows');
  const { taskId } = await fixture.call('add_task', { projectRoot: 'shop', prompt: 'Build it' });
  await page.goto(`${fixture.baton.url(0)}/console/#/tasks/${taskId}`);
  await page.route('**/cancel', (route) => route.abort());
  await page.getByRole('button', { name: 'Cancel task' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel task' }).click();
  const problem = page.locator('.problem');
  await problem.getByText(/whether it has done this is not known/).waitFor();
  expect(await problem.innerText()).not.toContain('by itself');
  await page.close();
});

test('a reading that is refused for now is repeated when the refusal says', async () => {
  const page = await openWithoutEvents();
  const json = { code: 'limit_rate', detail: 'The rate is used up.', retryAfterMs: 10 };
  await page.route(TASKS, (route) => route.fulfill({ status: 429, json }), { times: 1 });
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('row').filter({ hasText: 'add_task' }).waitFor();
  await page.close();
});

test('a reading that hangs is given up in time, and by Reload at once', async () => {
  const page = await openWithoutEvents();
  await page.route(TASKS, () => {});
  const asked = page.waitForRequest(TASKS);
  await page.getByRole('link', { name: 'Tasks' }).click();
  await asked;
  await page.evaluate('expireReadings()');
  await page.getByRole('alert').getByText('Baton does not answer. The page tries again by itself.').waitFor();
  const hanging = page.waitForRequest(TASKS);
  await page.getByRole('button', { name: 'Reload' }).click();
  await hanging;
  await page.unroute(TASKS);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('row').filter({ hasText: 'add_task' }).waitFor();
  await page.close();
});

test('a page has one stream of events for all that it shows, and none while it is hidden', async () => {
  const page = await fixture.openAt(`${fixture.baton.url(0)}/console/#/agents`);
  let streams = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/events')) streams += 1;
  });
  const usage = page.waitForResponse(/\/v1\/usage/);
  await fixture.signIn(page, fixture.baton.apiKey);
  await usage;
  await page.getByText('Updated').waitFor();
  expect(streams).toBe(1);

  const look = (isHidden: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/v1/events'));
  await look(true);
  await closed;
  const again = Promise.all([page.waitForRequest(/\/v1\/events/), page.waitForRequest(/\/v1\/agents$/)]);
  await look(false);
  await again;
  await page.close();
});
