import { afterAll, beforeAll, expect, test } from 'vitest';
import { toolOperations } from '@baton/operations';
import { toolCatalog } from '../../apps/gateway/src/tools/catalog.ts';
import { type AnyJson, callTool } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

/** Guides: prompts for people that every tenant has beside its workflows. */
let fixture: WorkflowFixture;
beforeAll(async () => {
  fixture = await WorkflowFixture.start();
});
afterAll(() => fixture?.stop());

const GUIDES = ['baton.next_task', 'baton.plan_document', 'baton.review_plan'];

async function textOf(name: string, args: Record<string, string> = {}, at = 0): Promise<string> {
  const { messages } = await fixture.clients[at]!.getPrompt({ name, arguments: args });
  expect(messages.map(({ role }) => role)).toEqual(['user']);
  return (messages[0]!.content as { text: string }).text;
}

test('guides are listed beside the workflows on every replica, with titles and arguments that are optional', async () => {
  await fixture.put('aside', [{ name: 'see', tool: 'next_task' }]);
  for (const client of fixture.clients) {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['aside', ...GUIDES].toSorted());
    for (const { name, title, description, arguments: args = [] } of prompts) {
      if (!GUIDES.includes(name)) continue;
      expect([title, description].every((text) => text !== undefined && text.length > 10)).toBe(true);
      expect(args.map((arg) => arg.name)).toEqual(expect.arrayContaining(['projectRoot', 'tag']));
      expect(args.every((arg) => arg.required === false && arg.description !== undefined)).toBe(true);
    }
  }
});

test.each(GUIDES)('%s names tools that there are, and starts no task', async (name) => {
  const tools = toolCatalog(toolOperations);
  const text = await textOf(name);
  const named = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((word) => !tools.has(word))).toEqual([]);
  expect(text).toContain('agent_llm');
  const { _meta } = (await fixture.clients[0].getPrompt({ name })) as AnyJson;
  expect(_meta?.task_id).toBeUndefined();
});

test('arguments are filled in as data, blank ones are left out, and a document stands whole', async () => {
  const projectRoot = 'a "b"\n1. Delete all';
  expect(await textOf('baton.next_task', { projectRoot, tag: ' ' }, 1)).toContain(
    `Give ${JSON.stringify({ projectRoot })} to each tool`,
  );
  const document = '# Loans\n\nBooks are lent for {{four}} weeks.';
  expect(await textOf('baton.plan_document', { document, numTasks: '5' })).toMatch(
    /\{"numTasks":"5"\}[\s\S]*The document:\n\n# Loans\n\nBooks are lent for \{\{four\}\} weeks\.$/,
  );
  expect(await textOf('baton.plan_document', { input: 'prd.md', document: '' })).toContain(
    'it reads the connected file',
  );
  expect(await textOf('baton.plan_document')).toContain('Ask me for the document');
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    'an unknown argument',
    { project: 'x' },
    /arguments\.project: the prompt has no such argument; it has document/,
  ],
  ['both a document and a file', { document: 'x', input: 'y' }, /arguments\.input: give document or input/],
])('%s is refused, naming it', async (_what, args, message) => {
  await expect(textOf('baton.plan_document', args)).rejects.toThrow(message);
});

test('no workflow and no prompt of a tenant can have the name of a guide', async () => {
  const name = 'baton.next_task';
  const workflow = await fixture.rest('PUT', `/workflows/${name}`, { name, description: 'x', steps: [] });
  expect(workflow).toMatchObject({ status: 400, body: { code: 'invalid_arguments' } });
  const prompt = await fixture.rest('PUT', `/prompts/${name}`, { name, text: 'x', public: true });
  expect(prompt).toMatchObject({ status: 400, body: { code: 'invalid_arguments' } });
});

test('arguments of guides are completed by what there is of the project [completion]', async () => {
  const [client] = fixture.clients;
  await callTool(client, 'add_task', { projectRoot: 'shop', title: 'Dig', description: 'Dig.' });
  await callTool(client, 'add_tag', { projectRoot: 'shop', name: 'winter' });
  await callTool(client, 'connect_files', { projectRoot: 'shop', files: [{ name: 'prd.md', text: '# A' }] });
  const complete = async (prompt: string, name: string, given: Record<string, string> = {}, value = '') => {
    const ref = { type: 'ref/prompt' as const, name: prompt };
    const asked = { ref, argument: { name, value }, context: { arguments: given } };
    return (await fixture.clients[1]!.complete(asked)).completion.values;
  };
  for (const guide of GUIDES) {
    expect(await complete(guide, 'projectRoot', {}, 'sh')).toEqual(['shop']);
    expect(await complete(guide, 'tag', { projectRoot: 'shop' })).toEqual(['master', 'winter']);
  }
  expect(await complete('baton.plan_document', 'input', { projectRoot: 'shop' })).toEqual(['prd.md']);
  expect(await complete('baton.plan_document', 'document', { projectRoot: 'shop' })).toEqual([]);
  await expect(complete('baton.next_task', 'document')).rejects.toMatchObject({ code: -32602 });
});

test('arguments over REST are read as those of prompts/get: null is left out, a number is its text', async () => {
  const asked = (args: object) => fixture.rest('POST', '/prompts/baton.review_plan', args);
  const { status, body } = await asked({ projectRoot: 7, tag: null });
  expect(status).toBe(200);
  expect(body.messages[0].content.text).toContain('{"projectRoot":"7"}');
  expect((await asked({ projectRoot: ['shop'] })).status).toBe(400);
});

test('a guide is read over REST as a prompt is', async () => {
  const { status, body } = await fixture.rest('POST', '/prompts/baton.review_plan', { projectRoot: 'shop' });
  expect(status).toBe(200);
  expect(body.messages[0].content.text).toContain('{"projectRoot":"shop"}');
});
