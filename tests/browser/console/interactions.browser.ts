import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { ConsoleFixture } from './console-fixture.ts';

/** The console's interactions, as whoever answers by hand has them. */
let fixture: ConsoleFixture;
let agentKey: string;
let page: Page;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  agentKey = await fixture.baton.createKey({ scopes: ['agent'] });
  await fixture.call('initialize_project', { projectRoot: 'shop', name: 'Shop' });
  page = await fixture.open(agentKey, '#/interactions');
});
afterAll(() => fixture?.stop());

const addTask = (prompt: string, token?: string): Promise<AnyJson> =>
  fixture.call('add_task', { prompt, projectRoot: 'shop' }, token);

const generate = (requestParameters: object): Promise<AnyJson> =>
  fixture.call('agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'probe',
      role: 'main',
      serviceType: 'generateObject',
      requestParameters: {
        messages: [{ role: 'user', content: 'Anything' }],
        objectName: 'thing',
        ...requestParameters,
      },
    },
  });

const open = (id: string) => page.goto(`${fixture.baton.url(0)}/console/#/interactions/${id}`);

const TASK = { title: 'Till', description: 'd', details: 'x', testStrategy: 't', dependencies: [] };

test('a request that is opened at another replica comes into the list by itself, and leaves it when it is answered', async () => {
  await page.getByText('No interaction matches.').waitFor();
  const { interactionId } = await addTask('Build a till');
  const row = page.getByRole('row').filter({ hasText: 'add_task' });
  await row.waitFor();
  await fixture.call('agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { object: TASK } },
  });
  await row.waitFor({ state: 'detached' });
  await page.getByLabel('Status').selectOption('answered');
  await row.waitFor();
  expect(page.url()).toContain('status=answered');
});

test('a request is hidden until asked for; what may not fit of an answer is said as it is typed; it is taken, and its task ends', async () => {
  const { interactionId, taskId } = await addTask('Build a shelf');
  await open(interactionId);
  const answer = page.getByLabel('Answer by hand');
  await answer.waitFor();
  expect(await page.locator('.message').count()).toBe(0);
  await page.getByText('Request', { exact: true }).click();
  await page.locator('.message').getByText('Build a shelf').waitFor();

  const send = page.getByRole('button', { name: 'Answer', exact: true });
  await answer.fill('{"title": 5');
  await page.getByText(/No JSON yet/).waitFor();
  await answer.fill(JSON.stringify({ ...TASK, title: 5 }));
  await page.getByText(/\/title: .*string/).waitFor();
  expect(await send.isEnabled()).toBe(true);
  await answer.fill(JSON.stringify(TASK));
  await send.click();
  await page.getByText('answered', { exact: false }).first().waitFor();
  await page.getByText('What came of it is in the journal of').waitFor();
  const title = page.locator('summary').getByText('Answer', { exact: true });
  const answered = page.locator('details').filter({ has: title }).locator('pre');
  expect(await answered.count()).toBe(0);
  await title.click();
  await answered.getByText('testStrategy').waitFor();
  await page.getByRole('link', { name: 'its task' }).click();
  await page.getByText('completed').first().waitFor();
  expect(page.url()).toContain(taskId);
});

test('no schema keeps an answer from being typed and sent, and the server decides', async () => {
  const objectOf = (a: object) => ({ type: 'object', properties: { a }, required: ['a'] });
  const fitting: readonly (readonly [object, string])[] = [
    // It takes JS time exponential in the text.
    [objectOf({ type: 'string', pattern: '^(a+)+$' }), JSON.stringify({ a: 'a'.repeat(40) })],
    // RE2 takes these, JS with `u` does not.
    [objectOf({ type: 'string', pattern: '^[\\w-.]+$' }), '{"a": "x-y"}'],
    [objectOf({ type: 'string', pattern: '(?i)^abc$' }), '{"a": "ABC"}'],
    [objectOf({ type: 'string' }), '```json\n{"a": "fenced"}\n```'],
  ];
  for (const [schema, text] of fitting) {
    await open((await generate({ schema })).interactionId);
    await page.getByLabel('Answer by hand').fill(text.replace('"}', '!"}'));
    await page.getByLabel('Answer by hand').fill(text);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('What came of it is in the journal of').waitFor();
  }
  await open((await generate({ schema: { $ref: '#' } })).interactionId);
  await page.getByLabel('Answer by hand').fill('{"a": 1}');
  expect(await page.getByRole('button', { name: 'Answer', exact: true }).isEnabled()).toBe(true);
});

test('what is typed outlives its screen, a sign-out and the end of its interaction, and the browser asks before it is lost', async () => {
  const { interactionId } = await addTask('Build a counter');
  const own = await fixture.open(agentKey, `#/interactions/${interactionId}`);
  const answer = own.getByLabel('Answer by hand');
  await answer.fill('{"title": "typed with care", ');
  await own.getByRole('link', { name: 'Tasks' }).click();
  await own.getByRole('heading', { name: 'Tasks' }).waitFor();
  await own.goBack();
  expect(await answer.inputValue()).toContain('typed with care');
  await own.getByRole('button', { name: 'Sign out' }).click();
  await fixture.signIn(own, agentKey);
  expect(await answer.inputValue()).toContain('typed with care');

  const asked = new Promise<string>((resolve) =>
    own.once('dialog', (dialog) => {
      resolve(dialog.type());
      void dialog.dismiss();
    }),
  );
  await own.close({ runBeforeUnload: true });
  expect(await asked).toBe('beforeunload');

  await fixture.call('agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { object: TASK } },
  });
  await own.getByText(/This interaction is answered by .+ It takes no other answer/).waitFor();
  expect(await own.getByLabel('What you typed').inputValue()).toContain('typed with care');
  await own.getByRole('button', { name: 'Discard' }).click();
  await own.getByLabel('What you typed').waitFor({ state: 'detached' });
  await own.close();
});

test('fail, extend and cancel', async () => {
  const failed = await addTask('One that fails');
  await open(failed.interactionId);
  await page.getByLabel('Say that the LLM call failed').fill('no model');
  await page.getByRole('button', { name: 'Fail' }).click();
  await page.getByText('What came of it is in the journal of').waitFor();
  const { status, error } = await task(failed.taskId);
  expect([status, error.message]).toEqual(['failed', expect.stringContaining('no model')]);

  const kept = await addTask('One that is kept');
  await open(kept.interactionId);
  await page.getByLabel('Deadline, minutes from now').fill('600');
  await page.getByRole('button', { name: 'Extend' }).click();
  await page.getByText(/^The deadline is .*\d/).waitFor();
  await page.getByText(/in 9 h 59 min|in 10 h/).waitFor();
  await page.getByLabel('Deadline, minutes from now').fill('30');
  await page.getByRole('button', { name: 'Extend' }).click();
  await page
    .getByRole('dialog')
    .getByText(/sooner than the deadline that is set/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
  await page.getByText('The deadline stays.').waitFor();
  await page.getByText(/in 9 h 59 min|in 10 h/).waitFor();

  const adminKey = await fixture.baton.createKey({ scopes: ['mcp', 'admin'] });
  const admins = await fixture.open(adminKey, `#/interactions/${kept.interactionId}`);
  await admins.getByRole('button', { name: 'Cancel interaction' }).click();
  await admins.getByRole('dialog').getByRole('button', { name: 'Cancel interaction' }).click();
  await admins.getByText('cancelled').first().waitFor();
  // The other page is told, whoever did it.
  await page.getByText('cancelled').first().waitFor();
  await admins.close();
});

test('what a key may not do is not offered, and what it may not see is refused in words', async () => {
  const { interactionId } = await addTask('Fit a door');
  const onlyAgents = await fixture.open(agentKey, `#/interactions/${interactionId}`);
  await onlyAgents.getByRole('button', { name: 'Extend' }).waitFor();
  expect(await onlyAgents.getByRole('button', { name: 'Cancel interaction' }).count()).toBe(0);
  await onlyAgents.close();

  const other = await fixture.baton.createKey({ scopes: ['mcp'] });
  const strangers = await fixture.open(other, `#/interactions/${interactionId}`);
  await strangers.getByRole('alert').waitFor();
  expect(await strangers.getByText('Fit a door').count()).toBe(0);
  await strangers.close();
});

test('script, escape sequences and turned text in what others wrote are text, shown as their codes', async () => {
  const nasty =
    '<img src=x onerror="document.title=1"><script>document.title=2</script>\u001b[31mred\u202egnp\r';
  const { interactionId } = await addTask(nasty);
  await open(interactionId);
  await page.getByText('Request', { exact: true }).click();
  const shown = page.locator('.message').getByText(/onerror/);
  await shown.waitFor();
  expect(await shown.innerText()).toContain('\\u001b[31mred\\u202egnp');
  expect(await page.title()).toBe('Baton');
  expect(await page.locator('main img, main script').count()).toBe(0);
});

test('a key that is revoked while the page is open: back to the form, with the reason', async () => {
  const created = await fixture.baton.store
    .tenant('acme')
    .apiKeys.create({ name: 'short', scopes: ['agent'], tools: 'all' });
  const ending = await fixture.open(created.key, '#/interactions');
  await ending.getByText('Updated').waitFor();
  await fixture.baton.store.tenant('acme').apiKeys.revoke(created.id);
  await ending.getByText(/The key is good no more/).waitFor();
  expect(await ending.getByRole('row').count()).toBe(0);
  await ending.close();
});

test('the page says nothing of an error, and axe finds nothing serious in either size and theme', async () => {
  const { interactionId } = await addTask('Look at me');
  await page.goto(`${fixture.baton.url(0)}/console/#/interactions`);
  await page.getByText('Look at me').waitFor();
  expect(await fixture.findVisibleFaults(page, 'interactions')).toEqual([]);
  await open(interactionId);
  await page.getByText('Request', { exact: true }).click();
  expect(await fixture.findVisibleFaults(page, 'interaction')).toEqual([]);
  // Chromium itself logs each refusal of the server: those were asked for above.
  expect(fixture.pageErrors.filter((text) => !text.includes('Failed to load resource'))).toEqual([]);
});

async function task(id: string): Promise<AnyJson> {
  const reply = await fetch(`${fixture.baton.url(1)}/v1/tasks/${id}`, {
    headers: { authorization: `Bearer ${agentKey}` },
  });
  return reply.json();
}
