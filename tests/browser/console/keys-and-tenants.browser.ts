import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../../harness/in-process-deployment.ts';
import { ConsoleFixture } from './console-fixture.ts';

/** The console's keys and limits, as the operator and a tenant's admin have them, and the link that signs in once. */
let fixture: ConsoleFixture;
let page: Page;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  page = await fixture.open(OPERATOR_TOKEN);
  await page.getByRole('button', { name: 'acme' }).click();
});
afterAll(() => fixture?.stop());

const statusOf = async (key: string): Promise<number> =>
  (await fetch(`${fixture.baton.url(1)}/v1/key`, { headers: { authorization: `Bearer ${key}` } })).status;

const show = (route: string, on = page) => on.goto(`${fixture.baton.url(0)}/console/#${route}`);

const row = (name: string, on = page) => on.getByRole('row').filter({ hasText: name });

test('a key is made, shown once, rotated and revoked, and is good or refused accordingly', async () => {
  await show('/keys');
  await page.getByText('Create a key').click();
  await page.getByLabel('Name').fill('of the build');
  await page.getByLabel('Principal').fill('build');
  await page.getByRole('checkbox', { name: 'agent' }).check();
  await page.getByLabel('Tools that are listed').selectOption('core');
  await page.getByLabel('Dialect of its clients').selectOption('task');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const shown = page.locator('.new-key pre');
  const first = await shown.innerText();
  expect(first).toMatch(/^bt_acme_/);
  expect(await statusOf(first)).toBe(200);
  expect((await row('of the build').innerText()).split('\t')).toEqual(
    expect.arrayContaining(['mcp agent', 'core', 'task']),
  );
  await page.getByRole('button', { name: 'I have it' }).click();
  expect(await page.getByText(first).count()).toBe(0);

  await page.getByRole('button', { name: 'change of the build' }).click();
  const form = page.getByRole('form', { name: 'Change of the build' });
  expect(await form.getByRole('button', { name: 'Change' }).isDisabled(), 'nothing is changed yet').toBe(
    true,
  );
  await form.getByLabel('New name').fill('of the nightly build');
  await form.getByLabel('Its tools').selectOption('standard');
  await form.getByLabel('Its dialect').selectOption('');
  await form.getByRole('button', { name: 'Change' }).click();
  await page.getByText('of the nightly build is changed.').waitFor();
  expect((await row('of the nightly build').innerText()).split('\t')).toEqual(
    expect.arrayContaining(['mcp agent', 'standard', 'as declared']),
  );

  await page.getByRole('button', { name: 'rotate of the nightly build' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'rotate' }).click();
  const second = await shown.innerText();
  expect([second === first, await statusOf(first), await statusOf(second)]).toEqual([false, 200, 200]);

  const id = second.split('_')[2] ?? '';
  await row(id)
    .getByRole('button', { name: /revoke/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'revoke' }).click();
  await row(id).waitFor({ state: 'detached' });
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 401]);
});

async function setLimits(button: string, question: RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(question).waitFor();
  await dialog.getByRole('button', { name: button }).click();
}

test('a new key stays until it is said to be kept, and Copy says when the browser does not let it', async () => {
  // Another screen forgets what the test before left.
  await show('/tasks');
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  await show('/keys');
  const name = page.getByLabel('Name', { exact: true });
  if (!(await name.isVisible())) await page.getByText('Create a key').click();
  const shown = page.locator('.new-key');
  for (const [count, key] of ['one', 'two'].entries()) {
    await name.fill(key);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await shown.nth(count).waitFor();
  }
  // As pages of plain HTTP have it.
  await page.evaluate(
    `Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined })`,
  );
  await shown.first().getByRole('button', { name: 'Copy' }).click();
  await shown
    .first()
    .getByText(/does not let this page copy/)
    .waitFor();
  for (const left of [1, 0]) {
    await shown.first().getByRole('button', { name: 'I have it' }).click();
    await expect.poll(() => shown.count()).toBe(left);
  }
});

test('limits stand against their use, and are set; a suspended tenant is refused until it is resumed', async () => {
  await show('/tenant');
  await page.getByLabel('openTasks', { exact: true }).fill('77');
  await page.getByLabel('projects', { exact: true }).fill('3');
  await setLimits('Set 2 limits', /openTasks \d+ → 77, projects \d+ → 3/);
  await page.getByText('The limits are set.').waitFor();
  await page.getByRole('button', { name: 'Set 0 limits' }).waitFor();
  const { body } = await fixture.asOperator('GET', '/v1/tenants/acme');
  expect([body.limits.openTasks, body.limits.projects]).toEqual([77, 3]);

  await page.getByLabel('projects', { exact: true }).fill('4');
  await fixture.asOperator('PATCH', '/v1/tenants/acme', { limits: { openTasks: 78 } });
  await page.getByRole('button', { name: 'Reload' }).click();
  await expect.poll(() => page.getByLabel('openTasks', { exact: true }).inputValue()).toBe('78');
  expect(await page.getByLabel('projects', { exact: true }).inputValue()).toBe('4');
  await page.getByLabel('projects', { exact: true }).fill('3');

  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Suspended', { exact: true }).waitFor();
  expect(await statusOf(fixture.baton.apiKey)).toBe(403);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Active', { exact: true }).waitFor();
  expect(await statusOf(fixture.baton.apiKey)).toBe(200);
});

test('a value that a limit cannot have is refused in words, and nothing is changed', async () => {
  await page.getByLabel('burst', { exact: true }).fill('0');
  await setLimits('Set 1 limit', /burst/);
  await page.locator('form .problem').filter({ hasText: 'burst' }).waitFor();
  const { body } = await fixture.asOperator('GET', '/v1/tenants/acme');
  expect(body.limits.burst).toBe(100_000);
});

test('an admin manages the keys of its tenant, and no limits; a key without that scope has neither screen, and is refused', async () => {
  const admin = await fixture.open(await fixture.baton.createKey({ scopes: ['admin'] }), '#/keys');
  await row('of the nightly build', admin).first().waitFor();
  expect(await admin.getByRole('link', { name: 'Limits' }).count()).toBe(0);
  await show('/tenant', admin);
  await admin.getByRole('alert').waitFor();
  await admin.close();

  const caller = await fixture.open(fixture.baton.apiKey);
  expect(await caller.getByRole('link', { name: 'Keys' }).count()).toBe(0);
  await show('/keys', caller);
  await caller.getByRole('alert').waitFor();
  expect(await caller.getByRole('row').count()).toBe(0);
  await caller.close();
});

test('a link signs in once: its key ends with it, and it stands in no address', async () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const key = await fixture.baton.createKey({ scopes: ['mcp', 'agent', 'admin'], expiresAt });
  const link = `${fixture.baton.url(0)}/console/#key=${key}`;
  const declined = await fixture.openAt(link);
  await declined.getByRole('button', { name: 'Use another key' }).click();
  await declined.getByLabel('API key').waitFor();
  await declined.close();
  const first = await fixture.openAt(link);
  // Anyone may have sent it: its key is not used before its owner was shown and agreed to.
  await first.getByText(/^Sign in to tenant .*acme.* as .+/).waitFor();
  expect(await statusOf(key)).toBe(200);
  await first.getByRole('button', { name: 'Sign in' }).click();
  await first.getByRole('button', { name: 'Sign out' }).waitFor();
  expect(first.url()).not.toContain('bt_');
  expect(await statusOf(key)).toBe(401);
  const second = await fixture.openAt(link);
  await second.getByText(/The link signs nobody in/).waitFor();
  expect(second.url()).not.toContain('bt_');
  const broken = await fixture.openAt(`${fixture.baton.url(0)}/console/#key=%`);
  await broken.getByText(/its key cannot be read/).waitFor();
  await Promise.all([first.close(), second.close(), broken.close()]);
});

test('a tenant is created, shown, suspended and deleted; one that exists is refused in words', async () => {
  await page.getByRole('button', { name: 'Tenants' }).click();
  await page.getByText('Create a tenant').click();
  await page.getByLabel('Id').fill('acme');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.locator('.problem').filter({ hasText: 'exists' }).waitFor();
  await page.getByLabel('Id').fill('fresh');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('operator · fresh').waitFor();
  expect((await fixture.asOperator('GET', '/v1/tenants/fresh')).status).toBe(200);

  await show('/tenant');
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText("Tenant 'fresh' was deleted").waitFor();
  expect((await fixture.asOperator('GET', '/v1/tenants/fresh')).status).toBe(404);
  await page.getByRole('button', { name: 'Tenants' }).click();
  await page.getByRole('button', { name: 'acme' }).click();
});

test('axe finds nothing serious on keys and limits', async () => {
  await show('/keys');
  await row('of the nightly build')
    .first()
    .getByRole('button', { name: /change/ })
    .click();
  await page.getByRole('form', { name: /Change/ }).waitFor();
  expect(await fixture.findVisibleFaults(page, 'key-change')).toEqual([]);
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await fixture.findVisibleFaults(page, 'keys')).toEqual([]);
  await show('/tenant');
  await page.getByText('Active', { exact: true }).waitFor();
  expect(await fixture.findVisibleFaults(page, 'limits')).toEqual([]);
  await page.getByRole('button', { name: 'Tenants' }).click();
  await page.getByRole('button', { name: 'acme' }).waitFor();
  expect(await fixture.findVisibleFaults(page, 'tenants')).toEqual([]);
});
