import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleFixture } from './console-fixture.ts';

/** A tenant's projects, as whoever works on them has them. */
let fixture: ConsoleFixture;
let page: Page;

beforeAll(async () => {
  fixture = await ConsoleFixture.start();
  page = await fixture.open(fixture.baton.apiKey, '#/projects');
});
afterAll(() => fixture?.stop());

const show = (route: string) => page.goto(`${fixture.baton.url(0)}/console/#${route}`);

const task = (id: number, more: object = {}) => ({ id, title: `Task ${id}`, description: 'd', ...more });
const FILE = {
  master: {
    tasks: [
      task(1, { status: 'done' }),
      task(2, { dependencies: [1], status: 'in-progress' }),
      task(3, { dependencies: [1, 99] }),
      task(4, { dependencies: [2, 3], title: '<img src=x onerror=alert(1)>' }),
    ],
  },
};

async function importFile(project: string, file: unknown, { strict = false } = {}): Promise<void> {
  await page.getByLabel('Project, which it replaces').fill(project);
  const buffer = Buffer.isBuffer(file)
    ? file
    : Buffer.from(typeof file === 'string' ? file : JSON.stringify(file));
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'tasks.json', mimeType: 'application/json', buffer });
  await page.getByRole('checkbox', { name: 'Refuse a file' }).setChecked(strict);
  await page.getByRole('button', { name: 'Import' }).click();
}

test('a damaged file is imported with its repairs listed, or refused with strict; what is no JSON is refused in words', async () => {
  await page.getByText('Import a tasks.json').click();
  await importFile('shop', FILE, { strict: true });
  await page.locator('form .problem').waitFor();
  await page.getByText('There is none.').waitFor();
  await importFile('shop', '{"master"');
  await page.locator('form .problem').filter({ hasText: 'JSON' }).waitFor();
  await importFile('shop', FILE);
  await page.getByText('Imported: tasks 4 in master; 1 repair.').waitFor();
  await page.locator('.repairs').getByText(/99/).waitFor();
  await page.getByRole('link', { name: 'shop' }).waitFor();
});

test('an import over a project asks first; a file in another encoding is refused in words, and its field is empty', async () => {
  const field = page.getByLabel('File', { exact: true });
  await importFile('shop', { master: { tasks: [task(1)] } });
  await page.getByRole('dialog').getByText('shop exists.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
  await page.getByText('Nothing was imported.').waitFor();
  await importFile('latin', Buffer.from('{"master":{"tasks":[{"id":1,"title":"Gr\xfc\xdfe"}]}}', 'latin1'));
  await page.getByText('tasks.json is not text in UTF-8.').waitFor();
  expect(await field.inputValue()).toBe('');
  expect(await page.getByRole('link', { name: 'latin' }).count()).toBe(0);
});

test('a page of tasks that are there no more is the last one', async () => {
  const tasks = (count: number) => ({
    master: { tasks: Array.from({ length: count }, (_, at) => task(at + 1)) },
  });
  const put = (count: number) => fixture.asOperator('PUT', '/v1/tenants/acme/projects/long', tasks(count));
  await put(250);
  await show('/projects/long');
  await page.getByText('250 tasks').waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('201 to 250 of 250').waitFor();
  await put(150);
  await page.getByText('101 to 150 of 150').waitFor();
  await show('/projects');
});

test('a project has its tasks by status, their dependencies as a graph and in words, and follows changes', async () => {
  await page.getByRole('link', { name: 'shop' }).click();
  await page.getByText(/^4 tasks: 2 pending/).waitFor();
  const graph = page.getByRole('img', { name: 'Dependencies of 4 tasks' });
  await graph.waitFor();
  expect([await graph.locator('rect').count(), await graph.locator('polyline').count()]).toEqual([4, 4]);
  expect(await page.locator('main img').count()).toBe(0);
  const fourth = page.getByRole('row').filter({ hasText: 'onerror' });
  expect(await fourth.innerText()).toContain('2, 3');
  await fixture.call('set_task_status', { projectRoot: 'shop', id: '3', status: 'done' });
  await page.getByText(/2 done/).waitFor();
});

test('a task opens to its texts and its subtasks, as text', async () => {
  await fixture.call('add_subtask', {
    projectRoot: 'shop',
    id: '4',
    title: 'Fill',
    details: 'One\n<b>two</b>',
  });
  const fourth = page.getByRole('row').filter({ hasText: 'onerror' });
  expect(await fourth.getByText('Fill').count()).toBe(0);
  await fourth.locator('summary').click();
  await fourth.getByText('4.1 Fill').waitFor();
  expect(await fourth.locator('.own-lines').allInnerTexts()).toEqual(['d', 'One\n<b>two</b>']);
});

test('what was found of complexity is a chart', async () => {
  const { interactionId } = await fixture.call('analyze_project_complexity', { projectRoot: 'shop' });
  const analysis = [2, 3, 4].map((taskId) => ({
    taskId,
    taskTitle: `Task ${taskId}`,
    complexityScore: taskId * 2,
    recommendedSubtasks: 3,
    expansionPrompt: 'p',
    reasoning: 'r',
  }));
  await fixture.call('agent_llm', {
    interactionId,
    agentLLMResponse: { status: 'success', data: { object: { complexityAnalysis: analysis } } },
    waitMs: 20_000,
  });
  await page.reload();
  await fixture.signIn(page, fixture.baton.apiKey);
  await page.getByRole('list', { name: 'Complexity by task' }).getByText('8 of 10').waitFor();
});

test('an export is the file that the server has', async () => {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('shop.tasks.json');
  const file = JSON.parse(readFileSync(await download.path(), 'utf8'));
  expect(file.master.tasks.map(({ id, status }: { id: number; status: string }) => [id, status])).toEqual([
    [1, 'done'],
    [2, 'in-progress'],
    [3, 'done'],
    [4, 'pending'],
  ]);
});

test('a project opens by its name, whatever characters it has, and never another', async () => {
  const names = ['a/b', 'a%2Fb', 'c?d', 'e#f', 'g:h', '1+1', '100%', 'ä ü'];
  for (const name of names) {
    await fixture.call('initialize_project', { projectRoot: name, name });
    await fixture.call('add_task', { projectRoot: name, title: `Only of ${name}`, description: 'd' });
  }
  for (const name of names) {
    await show('/projects');
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
    await page.locator('summary').getByText(`Only of ${name}`, { exact: true }).waitFor();
  }
});

test('axe finds nothing serious on a project', async () => {
  expect(await fixture.findVisibleFaults(page, 'project')).toEqual([]);
});
