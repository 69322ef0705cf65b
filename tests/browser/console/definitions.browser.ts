import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TEAM } from '../../agents/agents-fixture.ts';
import { OPERATOR_TOKEN } from '../../harness/in-process-deployment.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { ConsoleFixture } from './console-fixture.ts';

/** What a tenant defines, and its conversations, as its admin has them. */
let fixture: ConsoleFixture;
let page: Page;

const WORKFLOW = {
  name: 'look',
  description: 'Looks at what is next',
  arguments: [{ name: 'project', required: true }],
  steps: [{ name: 'next', tool: 'next_task', arguments: { projectRoot: '{{args.project}}' } }],
};

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  for (const agent of TEAM) await put(`/agents/${agent.id}`, agent);
  await put('/prompts/shorten', { name: 'shorten', text: 'Shorten this: {text}' });
  page = await fixture.open(await fixture.baton.createKey({ scopes: ['mcp', 'agent', 'admin'] }));
});
afterAll(() => fixture?.stop());

async function put(path: string, body: object): Promise<void> {
  const response = await fetch(`${fixture.baton.url(1)}/v1/tenants/acme${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

const agents = async (): Promise<AnyJson> =>
  (await fixture.asOperator('GET', '/v1/tenants/acme/agents')).body.agents;
const show = (route: string) => page.goto(`${fixture.baton.url(0)}/console/#${route}`);
const row = (name: string) => page.getByRole('row').filter({ hasText: name });

test('the primary has its badge and no switch; a specialist has one, which switches it', async () => {
  await show('/agents');
  await row('Assistant').getByText('● Primary').waitFor();
  expect(await row('Assistant').getByRole('switch').count()).toBe(0);
  await row('Coder').getByText('✓ Enabled').waitFor();
  await row('Coder').getByRole('switch').click();
  await row('Coder').getByText('Disabled').waitFor();
  expect((await agents()).find(({ id }: AnyJson) => id === 'coder').enabled).toBe(false);
  await row('Coder').getByRole('switch').click();
  await row('Coder').getByText('✓ Enabled').waitFor();
});

test('who may change no agent is offered neither a form nor a switch, and sees the versions', async () => {
  const member = await fixture.open(await fixture.baton.createKey({ scopes: ['mcp'] }), '#/agents');
  const coder = member.getByRole('row').filter({ hasText: 'Coder' });
  await coder.getByText('✓ Enabled').waitFor();
  expect(await coder.getByRole('switch').count()).toBe(0);
  expect(await member.getByText('Create one').count()).toBe(0);
  await coder.getByRole('link', { name: 'Coder' }).click();
  await member.getByRole('heading', { name: 'Versions' }).waitFor();
  expect(await member.getByRole('button', { name: 'Store' }).count()).toBe(0);
  await member.close();
});

test('an agent is edited as its next version; what is no agent is refused in words, and stays as typed', async () => {
  await show('/agents/coder');
  const field = page.getByLabel('Definition', { exact: true });
  await field.fill('{"id": "coder", "name": 5}');
  await page.getByRole('button', { name: 'Store' }).click();
  await page.locator('form .problem').filter({ hasText: 'name' }).waitFor();
  expect(await field.inputValue()).toBe('{"id": "coder", "name": 5}');
  await field.fill('{"id": ');
  await page.getByText(/No JSON yet/).waitFor();
  expect(await page.getByRole('button', { name: 'Store' }).isDisabled()).toBe(true);
  await field.fill(JSON.stringify({ id: 'coder', name: 'Coder', instructions: 'You write good code.' }));
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('Definition of version 2').waitFor();
  await page.getByText('Version 2 is stored.').waitFor();
  await page.getByText('Definition of version 1').click();
  await page.locator('section pre').getByText('You write code.').waitFor();
});

test('what is typed stays when somebody else stores a version, and replaces that one only when it was asked for', async () => {
  const instructionsOf = (text: string) =>
    JSON.stringify({ id: 'writer', name: 'Writer', instructions: text });
  const storeOfOthers = (text: string) => put('/agents/writer', JSON.parse(instructionsOf(text)));
  const stored = async () =>
    (await fixture.asOperator('GET', '/v1/tenants/acme/agents/writer')).body.definition.instructions;
  await storeOfOthers('First.');
  await show('/agents/writer');
  const field = page.getByLabel('Definition', { exact: true });
  const store = page.getByRole('button', { name: 'Store' });
  const dialog = page.getByRole('dialog');
  await field.fill(instructionsOf('Typed with care.'));
  await storeOfOthers('Second, of others.');
  await page.getByText(/^Version 2 was stored meanwhile by operator\./).waitFor();
  expect(await field.inputValue()).toContain('Typed with care.');
  await store.click();
  await dialog.getByText(/begun from version 1/).waitFor();
  await dialog.getByRole('button', { name: 'Back' }).click();
  await page.getByText('Nothing was stored.').waitFor();
  expect(await stored()).toBe('Second, of others.');
  await page.getByRole('button', { name: 'Load it' }).click();
  expect(await field.inputValue()).toContain('Second, of others.');

  // The page is not told of the next one before Store.
  await page.route('**/agents/writer/history', (route) => route.abort());
  await field.fill(instructionsOf('Typed again.'));
  await storeOfOthers('Third, of others.');
  await store.click();
  await dialog.getByText(/Version 3 was stored meanwhile/).waitFor();
  await page.unroute('**/agents/writer/history');
  await dialog.getByRole('button', { name: 'Store' }).click();
  await page.getByText('Version 4 is stored.').waitFor();
  expect(await stored()).toBe('Typed again.');

  await show('/agents/new');
  await field.fill(instructionsOf('Another one of this name.'));
  await store.click();
  await page.locator('.problem').filter({ hasText: 'writer exists already' }).waitFor();
  expect(await stored()).toBe('Typed again.');
});

test('a specialist is tried, and its request is linked to and answered', async () => {
  await show('/agents/web_search');
  await page.getByText('Try it').click();
  await page.getByLabel('Arguments').fill('{"query": "kettles"}');
  await page.getByRole('button', { name: 'Call' }).click();
  await page.getByRole('link', { name: 'its request' }).click();
  await page.getByLabel('Answer by hand').fill('There are three.');
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByText('What came of it is in the journal of').waitFor();
});

test('a conversation with the primary is shown as it ran', async () => {
  const { interactionId } = await fixture.call('ask_assistant', { message: 'Good day <b>you</b>' });
  await fixture.call('agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { text: 'Good day.' } },
    waitMs: 20_000,
  });
  await show('/conversations');
  await page.getByRole('link', { name: 'Good day <b>you</b>' }).click();
  const messages = page.locator('.dialog li');
  await messages.nth(1).waitFor();
  expect(await messages.allInnerTexts()).toEqual([
    expect.stringMatching(/^user\s+Good day <b>you<\/b>$/),
    expect.stringMatching(/^assistant\s+Good day\.$/),
  ]);
});

test('a workflow is created, and run with its arguments', async () => {
  await fixture.call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
  await show('/workflows');
  await page.getByRole('link', { name: 'Create one' }).click();
  await page.getByLabel('Definition').fill(JSON.stringify(WORKFLOW));
  await page.getByRole('button', { name: 'Store' }).click();
  await page.getByText('Definition of version 1').waitFor();
  await page.getByText('Version 1 is stored.').waitFor();
  expect(page.url()).toContain('/workflows/look');
  await page.getByText('Try it').click();
  expect(JSON.parse(await page.getByLabel('Arguments').inputValue())).toEqual({ project: '' });
  await page.getByLabel('Arguments').fill('{"project": "shop"}');
  await page.getByRole('button', { name: 'Call' }).click();
  await page.locator('form pre').filter({ hasText: 'messages' }).waitFor();
});

test("a workflow's task has its steps, each with who made its call, and its variables once asked for", async () => {
  await show('/tasks?operation=workflow');
  await page.getByRole('link', { name: 'workflow', exact: true }).click();
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  await steps.first().waitFor();
  expect(await steps.allInnerTexts()).toEqual([expect.stringMatching(/completed next .*server/)]);
  await page.getByText('Variables').click();
  await page.locator('pre').getByText('_workflow.result.next').waitFor();
});

test('a prompt of the registry is tried', async () => {
  await show('/prompts/shorten');
  await page.getByText('Try it').click();
  await page.getByLabel('Arguments').fill('{"text": "A long text"}');
  await page.getByRole('button', { name: 'Call' }).click();
  await page.getByRole('link', { name: 'its request' }).click();
  await page.getByText('Request', { exact: true }).click();
  await page.locator('.message').getByText('Shorten this: A long text').waitFor();
});

test('axe finds nothing serious on what is defined', async () => {
  await show('/agents');
  await row('Coder').waitFor();
  expect(await fixture.findVisibleFaults(page, 'agents')).toEqual([]);
  await show('/workflows/look');
  await page.getByText('Definition of version 1').waitFor();
  expect(await fixture.findVisibleFaults(page, 'workflow')).toEqual([]);
});
