import { toolOperations } from '@baton/operations';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namedVariables } from '../../apps/gateway/src/completion/completion-variable.ts';
import { toolCatalog } from '../../apps/gateway/src/tools/catalog.ts';
import { callTool } from '../harness/mcp-client.ts';
import { WorkflowFixture } from './workflow-fixture.ts';

let fixture: WorkflowFixture;

beforeAll(async () => {
  fixture = await WorkflowFixture.start();
  const [client] = fixture.clients;
  for (const [projectRoot, tag] of [
    ['shop', 'master'],
    ['shop', 'winter'],
    ['default', 'master'],
  ]) {
    if (tag !== 'master') await callTool(client, 'add_tag', { projectRoot, name: tag });
    await callTool(client, 'add_task', { projectRoot, tag, title: 'Dig', description: 'Dig.' });
  }
  await callTool(client, 'add_task', { projectRoot: 'shop', title: 'Plant', description: 'Plant.' });
  await callTool(client, 'add_subtask', { projectRoot: 'shop', id: '2', title: 'Hole', description: 'H' });
  const call = {
    projectRoot: '{{args.project}}',
    tag: '{{args.tag}}',
    id: '{{args.task}}',
    status: '{{args.status}}',
  };
  await fixture.put(
    'move_on',
    [
      { name: 'look', resources: ['baton://projects/{{args.project}}/files/{{args.file}}'] },
      { name: 'set', tool: 'set_task_status', arguments: call },
      {
        name: 'clear',
        tool: 'clear_subtasks',
        arguments: { id: '{{args.own}}', all: '{{args.all}}' },
      },
      { name: 'show', tool: 'get_task', arguments: { id: '{{steps.clear.x}}', tag: '{{args.later}}' } },
    ],
    {
      arguments: [
        { name: 'project', required: true },
        ...['tag', 'task', 'status', 'file', 'own', 'all', 'later', 'unused'].map((name) => ({ name })),
      ],
    },
  );
});
afterAll(() => fixture?.stop());

const complete = async (name: string, value = '', given?: Record<string, string>, at = 0) => {
  const { completion } = await fixture.clients[at]!.complete({
    ref: { type: 'ref/prompt', name: 'move_on' },
    argument: { name, value },
    ...(given === undefined ? {} : { context: { arguments: given } }),
  });
  return completion.values;
};

test('arguments of a prompt are completed by what the tool takes that they feed [completion]', async () => {
  expect(await complete('project')).toEqual(['default', 'shop']);
  expect(await complete('project', 'SH')).toEqual(['shop']);
  expect(await complete('status', 'd')).toEqual(['done', 'deferred']);
  expect(await complete('all')).toEqual(['true', 'false']);
  expect(await complete('unused')).toEqual([]);
});

test('tags and tasks are those of the project and the tag that were given so far, and of none before', async () => {
  const shop = { project: 'shop' };
  expect(await complete('tag', '', shop, 1)).toEqual(['master', 'winter']);
  expect(await complete('task', '', shop)).toEqual(['1', '2', '2.1']);
  expect(await complete('task', '2', shop)).toEqual(['2', '2.1']);
  expect(await complete('task', '', { ...shop, tag: 'winter' })).toEqual(['1']);
  expect(await complete('task', '', { project: 'nowhere' })).toEqual([]);
  expect(await complete('tag'), 'the project is required, and not known').toEqual([]);
  expect(await complete('own'), 'a tool without a project takes the default one').toEqual(['1']);
});

test('a resource that an argument is a part of completes it as its template does', async () => {
  const file = { name: 'plan.md', text: '# Plan' };
  await callTool(fixture.clients[0], 'connect_files', { projectRoot: 'shop', files: [file] });
  expect(await complete('file', '', { project: 'shop' })).toEqual(['plan.md']);
  expect(await complete('file')).toEqual([]);
});

test('the path of a resource may have other arguments that were not given, optional ones too', async () => {
  await fixture.put(
    'look_at',
    [{ name: 'look', resources: ['baton://projects/{{args.project}}/tasks/{{args.id}}?tag={{args.tag}}'] }],
    { arguments: ['project', 'id', 'tag'].map((name) => ({ name })) },
  );
  const valuesOf = async (name: string, given: Record<string, string>) => {
    const ref = { type: 'ref/prompt' as const, name: 'look_at' };
    const asked = { ref, argument: { name, value: '' }, context: { arguments: given } };
    return (await fixture.clients[0].complete(asked)).completion.values;
  };
  expect(await valuesOf('project', {})).toEqual(['default', 'shop']);
  expect(await valuesOf('id', { project: 'shop' })).toEqual(['1', '2', '2.1']);
  expect(await valuesOf('id', {})).toEqual([]);
  expect(await valuesOf('tag', { project: 'shop', id: '1' })).toEqual(['master', 'winter']);
  const { messages } = await fixture.clients[0].getPrompt({
    name: 'look_at',
    arguments: { project: 'shop' },
  });
  expect(JSON.stringify(messages)).toContain("cannot be read: the argument 'id' was not given: ");
});

test('at most 100 values of a larger list are offered, and their number is told [completion]', async () => {
  await fixture.put('choose', [{ name: 'use', tool: 'use_tag', arguments: { name: '{{args.tag}}' } }], {
    arguments: [{ name: 'tag' }],
  });
  const [client] = fixture.clients;
  const names = Array.from({ length: 105 }, (_, n) => `t${String(n).padStart(3, '0')}`);
  for (const name of names) await callTool(client, 'add_tag', { name });
  const ref = { type: 'ref/prompt' as const, name: 'choose' };
  const { completion } = await client.complete({ ref, argument: { name: 'tag', value: 't' } });
  expect(completion).toEqual({ values: names.slice(0, 100), total: 105, hasMore: true });
});

test.each<[string, string, string]>([
  ['an unknown prompt', 'nobody', 'project'],
  ['an unknown argument', 'move_on', 'zone'],
  ['an inherited name', 'move_on', '__proto__'],
])('%s is refused with -32602', async (_claim, prompt, name) => {
  await expect(
    fixture.clients[0].complete({
      ref: { type: 'ref/prompt', name: prompt },
      argument: { name, value: '' },
      context: { arguments: { tag: '\u0001', project: '{{args.project}}' } },
    }),
  ).rejects.toMatchObject({ code: -32602 });
});

test("another tenant's prompts and projects are completed for nobody else", async () => {
  const foreign = await fixture.baton.addTenant('other');
  const response = await fetch(`${fixture.baton.url()}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${foreign}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'completion/complete',
      params: { ref: { type: 'ref/prompt', name: 'move_on' }, argument: { name: 'project', value: '' } },
    }),
  });
  expect(await response.text()).toContain('"code":-32602');
});

test('each argument that is said to name something is one of a tool', () => {
  const tools = [...toolCatalog(toolOperations).values()];
  const taken = new Set(
    tools.flatMap(({ name, listing }) =>
      Object.keys(listing.inputSchema['properties'] ?? {}).flatMap((field) => [field, `${name}.${field}`]),
    ),
  );
  expect([...namedVariables.keys()].filter((name) => !taken.has(name))).toEqual([]);
});
