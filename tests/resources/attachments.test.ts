import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const IMAGE = {
  type: 'image',
  data: base64('\u0000PNG'),
  mimeType: 'image/png',
  annotations: { priority: 0.9 },
};
const AUDIO = { type: 'audio', data: base64('RIFF'), mimeType: 'audio/wav' };
const LINK = { type: 'resource_link', uri: 'https://example.org/plan', name: 'plan' };
const TEXT = {
  type: 'resource',
  resource: { uri: 'file:///main.rs', mimeType: 'text/x-rust', text: 'fn main() {}' },
};
const BLOB = { type: 'resource', resource: { uri: 'file:///logo', blob: base64('logo') } };
const BLOCKS = [IMAGE, AUDIO, LINK, TEXT, BLOB];

let baton: InProcessDeployment;
let client: Client;
let number = 0;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  client = await connectMcpClient(baton.url(), baton.apiKey);
  // From then on its client holds each result against the output schema.
  await client.listTools();
});
afterAll(async () => {
  await client?.close();
  await baton?.stop();
});

const use = (name: string, args: object) => callTool(client, name, args);
const answered = async (asked: AnyJson, data: object) => {
  const agentLLMResponse = { status: 'success', data };
  const { content, structuredContent } = (await client.callTool({
    name: 'agent_llm',
    arguments: { interactionId: asked.interactionId, agentLLMResponse },
  })) as AnyJson;
  return { content, outcome: structuredContent.outcome };
};
async function startProject(): Promise<{ projectRoot: string }> {
  const projectRoot = `attached-${++number}`;
  const tasks = ['One', 'Two'].map((title) => ({ title, description: 'x' }));
  await use('initialize_project', { projectRoot, tasks });
  await use('add_subtask', { projectRoot, id: '1', title: 'Part' });
  return { projectRoot };
}
const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as AnyJson;
const uriOf = (projectRoot: string, id: string, n: number) =>
  `baton://projects/${projectRoot}/tasks/${id}/attachments/${n}`;

const TASK = {
  title: 'T',
  description: 'd',
  details: '',
  testStrategy: '',
  dependencies: [],
  priority: 'high',
};
const SUBTASK = { id: 1, title: 'S', description: 'd', details: 'd', dependencies: [] };
const SCORE = {
  taskTitle: 'x',
  complexityScore: 5,
  recommendedSubtasks: 3,
  expansionPrompt: 'p',
  reasoning: 'r',
};
const OPERATIONS: readonly [string, object, object][] = [
  ['parse_prd', { prd: 'Tea.', append: true }, { object: { tasks: [{ id: 1, ...TASK }] } }],
  ['analyze_project_complexity', { ids: '1' }, { object: { complexityAnalysis: [{ taskId: 1, ...SCORE }] } }],
  ['expand_task', { id: '2', num: 1 }, { object: { subtasks: [SUBTASK] } }],
  ['expand_all', { num: 1 }, { object: { subtasks: [SUBTASK] } }],
  ['update', { from: '2', prompt: 'p' }, { object: { tasks: [{ id: 2, ...TASK }] } }],
  ['update_task', { id: '1', prompt: 'p' }, { object: { id: 1, ...TASK } }],
  ['update_task', { id: '1', prompt: 'p', append: true }, { text: 'Noted.' }],
  ['update_subtask', { id: '1.1', prompt: 'p' }, { text: 'Noted.' }],
  ['add_task', { prompt: 'p' }, { object: TASK }],
];

test.each(OPERATIONS)(
  'what an answer brings beside words reaches the result of %s %j, its content and task_status [content-in-results, content-of-operations]',
  async (name, args, data) => {
    const asked = await use(name, { ...(await startProject()), ...args });
    expect(asked.interactionId).toEqual(expect.any(String));
    const words = { type: 'text', text: 'Look.' };
    const { content, outcome } = await answered(asked, {
      ...data,
      content: [words, ...BLOCKS, { type: 'image' }],
    });
    expect(outcome).toMatchObject({ status: 'completed', result: { content: BLOCKS, droppedContent: 1 } });
    expect(content.filter(({ type }: AnyJson) => type !== 'text').slice(0, BLOCKS.length)).toEqual(BLOCKS);
    const status = (await client.callTool({
      name: 'task_status',
      arguments: { taskId: asked.taskId },
    })) as AnyJson;
    expect(status.structuredContent.result.content).toEqual(BLOCKS);
    expect(status.content.slice(2)).toEqual(BLOCKS);
  },
);

test('an answer to add_task, update_task and update_subtask attaches its blocks to the task that it is about [attachments]', async () => {
  const project = await startProject();
  const { projectRoot } = project;
  const { outcome } = await answered(await use('add_task', { ...project, prompt: 'p' }), {
    object: TASK,
    content: BLOCKS,
  });
  expect(outcome.result.task.attachments.map(({ n, type }: AnyJson) => [n, type])).toEqual(
    BLOCKS.map(({ type }, at) => [at + 1, type]),
  );
  const note = await use('update_subtask', { ...project, id: '1.1', prompt: 'p' });
  await answered(note, { text: 'Noted.', content: [IMAGE] });
  const { task } = await use('get_task', { ...project, id: '1.1' });
  expect(task.attachments).toEqual([
    { n: 1, added: expect.stringMatching(/Z$/), type: 'image', mimeType: 'image/png', size: 4 },
  ]);
  const revised = await use('update_task', { ...project, id: '1', prompt: 'p' });
  await answered(revised, { object: { id: 1, ...TASK }, content: [AUDIO] });
  expect(await read(uriOf(projectRoot, '1', 1))).toMatchObject({ mimeType: 'audio/wav', blob: AUDIO.data });
  expect(await read(uriOf(projectRoot, '1.1', 1))).toMatchObject({ mimeType: 'image/png', blob: IMAGE.data });
  for (const [name, args] of [
    ['get_tasks', { withSubtasks: true }],
    ['next_task', {}],
    ['set_task_status', { id: '1', status: 'in-progress' }],
  ] as const)
    expect(JSON.stringify(await use(name, { ...project, ...args }))).not.toContain(AUDIO.data);
});

test('attach_to_task attaches blocks that are read as resources, completed, and removed by number [attachments, content-types]', async () => {
  const project = await startProject();
  const { projectRoot } = project;
  const added = await use('attach_to_task', { ...project, id: '1', attachments: BLOCKS });
  expect(added.attachments.map(({ n, size }: AnyJson) => [n, size])).toEqual([
    [1, 4],
    [2, 4],
    [3, 0],
    [4, 12],
    [5, 4],
  ]);
  const shown = await Promise.all(BLOCKS.map((_, at) => read(uriOf(projectRoot, '1', at + 1))));
  expect(shown).toMatchObject([
    { mimeType: 'image/png', blob: IMAGE.data },
    { mimeType: 'audio/wav', blob: AUDIO.data },
    { mimeType: 'text/uri-list', text: `${LINK.uri}\r\n` },
    { mimeType: 'text/x-rust', text: 'fn main() {}' },
    { mimeType: 'application/octet-stream', blob: BLOB.resource.blob },
  ]);
  const template = 'baton://projects/{project}/tasks/{id}/attachments/{n}{?tag}';
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(template);
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: template },
    argument: { name: 'n', value: '' },
    context: { arguments: { project: projectRoot, id: '1' } },
  });
  expect(completion.values).toEqual(['1', '2', '3', '4', '5']);
  const left = await use('attach_to_task', { ...project, id: 1, remove: ['2', 4], attachments: [AUDIO] });
  expect(left.attachments.map(({ n }: AnyJson) => n)).toEqual([1, 3, 5, 6]);
  await expect(read(uriOf(projectRoot, '1', 2))).rejects.toMatchObject({ code: -32002 });
});

test('attachments move with their task, round-trip in the tasks file, and count in what is stored [attachments]', async () => {
  const project = await startProject();
  const { projectRoot } = project;
  const stored = async () => {
    const { text } = await read('baton://usage');
    return JSON.parse(text).usage.storedBytes as number;
  };
  const before = await stored();
  const adminKey = await baton.createKey({ scopes: ['admin'] });
  const large = { ...IMAGE, data: base64('x'.repeat(60_000)) };
  await use('attach_to_task', { ...project, id: '1', attachments: [large, LINK] });
  expect((await stored()) - before).toBeGreaterThan(large.data.length);
  await use('move_task', { ...project, from: '1', to: '7' });
  expect((await read(uriOf(projectRoot, '7', 1))).blob).toBe(large.data);
  const rest = async (method: string, path: string, body?: unknown) =>
    fetch(`${new URL(baton.url()).origin}/v1/projects/${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const file = (await (await rest('GET', projectRoot)).json()) as AnyJson;
  expect((await rest('PUT', `${projectRoot}-copy`, file)).status).toBeLessThan(300);
  expect((await read(uriOf(`${projectRoot}-copy`, '7', 1))).blob).toBe(large.data);
  expect(await (await rest('GET', `${projectRoot}-copy`)).json()).toEqual(file);
  await use('remove_task', { ...project, id: '7' });
  await use('delete_project', { projectRoot: `${projectRoot}-copy` });
  expect((await stored()) - before).toBeLessThan(large.data.length);
});

test('attachments of wrong types, numbers and sizes are refused by name, and nothing changes [attachments]', async () => {
  const project = await startProject();
  const attach = (args: object) => use('attach_to_task', { ...project, id: '1', ...args });
  const bad: readonly unknown[] = [
    { type: 'text', text: 'x' },
    { type: 'hologram' },
    { type: 'image', data: 'not base64!', mimeType: 'image/png' },
    { type: 'image', data: '', mimeType: 'image/png' },
    { type: 'image', data: IMAGE.data, mimeType: 'png' },
    { type: 'image', data: 7, mimeType: 'image/png' },
    { type: 'resource_link', name: 'x' },
    { type: 'resource', resource: { uri: 'file:///x' } },
    { ...IMAGE, annotations: { priority: 7 } },
    { ...IMAGE, data: 'A'.repeat(524_292) },
    null,
    [],
    'image',
  ];
  for (const block of bad)
    expect([block, (await attach({ attachments: [block] })).error]).toEqual([
      block,
      expect.objectContaining({ code: 'invalid_arguments', field: expect.stringContaining('attachments') }),
    ]);
  for (const args of [
    {},
    { attachments: 'x' },
    { attachments: IMAGE },
    { remove: ['x'] },
    { id: '1.2.3', remove: [1] },
  ])
    expect((await attach(args)).error).toMatchObject({ code: 'invalid_arguments' });
  expect((await attach({ attachments: Array.from({ length: 21 }, () => LINK) })).error.code).toBe(
    'invalid_arguments',
  );
  expect((await attach({ remove: [1] })).error).toMatchObject({ code: 'attachment_not_found', n: '1' });
  expect((await attach({ id: '9', attachments: [LINK] })).error.code).toBe('project_task_not_found');
  await attach({ attachments: Array.from({ length: 20 }, () => LINK) });
  expect((await attach({ attachments: [LINK] })).error).toMatchObject({ code: 'limit_size', most: 20 });
  const half = { ...IMAGE, data: base64('x'.repeat(300_000)) };
  const other = (attachments: object[], id = '2') => attach({ id, attachments });
  await other([half]);
  expect((await other([half])).error).toMatchObject({ code: 'limit_size', limit: 'attachmentsLength' });
  expect((await use('get_task', { ...project, id: '2' })).task.attachments).toHaveLength(1);
});
