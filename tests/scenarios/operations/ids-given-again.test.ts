import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../../harness/mcp-client.ts';
import { createScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { answerUntilEnd } from './run-operation-to-end.ts';

/** What was asked about a task or subtask while its id meant another one is not written into it. */
const agent = createScriptedAgent({ seed: '7' });
let baton: InProcessDeployment;
let clients: Client[];
let adminKey: string;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((gateway) => connectMcpClient(baton.url(gateway), baton.apiKey)));
  adminKey = await baton.createKey({ scopes: ['admin'] });
});
afterAll(() => baton.stop());

const call = (name: string, args: object) => callTool(clients[1]!, name, args);
const end = (taskId: string) => answerUntilEnd(clients, agent, taskId);

let projects = 0;
/** Tasks 1, 2 and 3, each with a subtask. */
async function newPlan(): Promise<string> {
  const projectRoot = `/plans/${projects++}`;
  for (const id of [1, 2, 3]) {
    await call('add_task', { projectRoot, title: `Old ${id}`, description: 'As it was planned' });
    await call('add_subtask', { projectRoot, id: `${id}`, title: `Part of old ${id}` });
  }
  return projectRoot;
}

async function put(projectRoot: string, file: object): Promise<void> {
  const response = await fetch(`${baton.url()}/v1/projects/${encodeURIComponent(projectRoot)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(file),
  });
  expect(response.status).toBe(200);
}

const NEW = { title: 'New', description: 'Another task' };

async function removeAndAdd(projectRoot: string): Promise<void> {
  await call('remove_task', { projectRoot, id: '3' });
  await call('add_task', { projectRoot, ...NEW });
  await call('add_subtask', { projectRoot, id: '3', title: 'Part of new' });
}

/** How id 3 comes to mean another task. */
const WAYS: Readonly<Record<string, (projectRoot: string) => Promise<unknown>>> = {
  'was removed and given again': removeAndAdd,
  'was moved away and another here': async (projectRoot) => {
    await call('move_task', { projectRoot, from: '3', to: '40' });
    await call('move_task', { projectRoot, from: '2', to: '3' });
  },
  'is of an imported file': (projectRoot) =>
    put(projectRoot, { master: { tasks: [1, 2, 3].map((id) => ({ id, ...NEW })) } }),
  'is of a plan that replaced this one': async (projectRoot) => {
    const { taskId } = await call('parse_prd', { projectRoot, prd: 'A. B. C.', numTasks: 3, force: true });
    await end(taskId);
  },
  'is of a project that took the place of a deleted one': async (projectRoot) => {
    await call('delete_project', { projectRoot });
    for (let n = 1; n <= 3; n++) await call('add_task', { projectRoot, ...NEW });
  },
};

test.each(Object.entries(WAYS))(
  'an answer about a task whose id %s ends the call',
  async (_claim, change) => {
    const projectRoot = await newPlan();
    const { taskId } = await call('update_task', { projectRoot, id: 3, prompt: 'Use SQLite.' });
    await change(projectRoot);
    const before = await call('get_task', { projectRoot, id: '3' });
    expect(await end(taskId)).toMatchObject({ status: 'failed', error: { code: 'project_task_not_found' } });
    expect(await call('get_task', { projectRoot, id: '3' })).toEqual(before);
  },
);

const GONE = { status: 'failed', error: { code: 'project_task_not_found' } };
test.each<[string, object, AnyJson]>([
  ['update_task', { id: 3, prompt: 'Use SQLite.', append: true }, GONE],
  ['update', { from: 3, prompt: 'Use SQLite.' }, { result: { skipped: [{ id: 3, reason: 'gone' }] } }],
  ['expand_task', { id: 3, num: 2 }, GONE],
  ['expand_task', { id: 3, num: 2, force: true }, GONE],
  ['expand_all', { num: 2, force: true }, { result: { expandedCount: 2, failed: [{ id: 3 }] } }],
  [
    'expand_all',
    { num: 2, force: true, perRequest: 3 },
    { result: { expandedCount: 2, failed: [{ id: 3 }] } },
  ],
  ['scope_up_task', { id: '3' }, GONE],
  ['update_subtask', { id: '3.1', prompt: 'Learned something.' }, GONE],
  ['research', { query: 'Why?', saveTo: '3' }, { result: { saveProblem: { code: GONE.error.code } } }],
  ['research', { query: 'Why?', saveTo: '3.1' }, { result: { saveProblem: { code: GONE.error.code } } }],
])('%s %j leaves a task alone that has the id by now', async (name, args, expected) => {
  const projectRoot = await newPlan();
  const { taskId } = await call(name, { projectRoot, ...args });
  await removeAndAdd(projectRoot);
  const before = await call('get_task', { projectRoot, id: '3' });
  expect(await end(taskId)).toMatchObject(expected);
  expect(await call('get_task', { projectRoot, id: '3' })).toEqual(before);
});

test('an analysis is of no task that came to its id meanwhile', async () => {
  const projectRoot = await newPlan();
  const { taskId } = await call('analyze_project_complexity', { projectRoot });
  await removeAndAdd(projectRoot);
  await end(taskId);
  const { report } = await call('complexity_report', { projectRoot });
  expect(report.complexityAnalysis.map((entry: AnyJson) => entry.taskId)).toEqual([1, 2]);
});

test('a subtask that was cleared and another with its id are told apart', async () => {
  const projectRoot = await newPlan();
  const { taskId } = await call('update_subtask', { projectRoot, id: '3.1', prompt: 'Learned something.' });
  await call('clear_subtasks', { projectRoot, id: '3' });
  await call('add_subtask', { projectRoot, id: '3', title: 'Another part' });
  expect(await end(taskId)).toMatchObject(GONE);
});

test('subtasks that came with one file are told apart when their tasks are moved', async () => {
  const projectRoot = await newPlan();
  const subtasks = [{ id: 1, title: 'Part' }];
  await put(projectRoot, {
    master: { tasks: [1, 2].map((id) => ({ id, title: `Of file ${id}`, subtasks })) },
  });
  const { taskId } = await call('update_subtask', { projectRoot, id: '2.1', prompt: 'Learned something.' });
  await call('move_task', { projectRoot, from: '2', to: '40' });
  await call('move_task', { projectRoot, from: '1', to: '2' });
  expect(await end(taskId)).toMatchObject(GONE);
});

const KEEPS: Readonly<Record<string, (projectRoot: string) => Promise<unknown>>> = {
  'had its status set': (projectRoot) =>
    call('set_task_status', { projectRoot, id: '3', status: 'in-progress' }),
  'stayed while another was moved away and back': async (projectRoot) => {
    await call('move_task', { projectRoot, from: '2', to: '40' });
    await call('move_task', { projectRoot, from: '40', to: '2' });
  },
  'was imported again under its title': (projectRoot) =>
    put(projectRoot, {
      master: { tasks: [1, 2, 3].map((id) => ({ id, title: `Old ${id}`, description: 'Edited' })) },
    }),
};

test.each(Object.entries(KEEPS))('an answer about a task that %s still counts', async (_claim, change) => {
  const projectRoot = await newPlan();
  const { taskId } = await call('update_task', { projectRoot, id: 3, prompt: 'Use SQLite.' });
  await change(projectRoot);
  expect(await end(taskId)).toMatchObject({ status: 'completed', result: { updated: true } });
});

test('no client sees what tells tasks apart', async () => {
  const projectRoot = await newPlan();
  const shown = [
    await call('get_tasks', { projectRoot, withSubtasks: true }),
    await call('get_task', { projectRoot, id: '3' }),
    await call('next_task', { projectRoot }),
    await call('expand_task', { projectRoot, id: 3 }),
    await fetch(`${baton.url()}/v1/projects/${encodeURIComponent(projectRoot)}`, {
      headers: { authorization: `Bearer ${adminKey}` },
    }).then((response) => response.text()),
  ];
  expect(JSON.stringify(shown)).toContain('Part of old 3');
  expect(JSON.stringify(shown)).not.toContain('_uid');
});

test.each([
  ['add_task', { prompt: 'A search.' }],
  ['parse_prd', { prd: 'A shop.', append: true }],
])(
  '%s does not bring back a tag that was deleted or renamed while the LLM was at work',
  async (name, args) => {
    for (const [tool, more] of [
      ['delete_tag', { name: 'later' }],
      ['rename_tag', { oldName: 'later', newName: 'other' }],
    ] as const) {
      const projectRoot = await newPlan();
      await call('add_tag', { projectRoot, name: 'later' });
      const { taskId } = await call(name, { projectRoot, tag: 'later', ...args });
      expect((await call(tool, { projectRoot, ...more })).error).toBeUndefined();
      expect(await end(taskId)).toMatchObject({ status: 'failed', error: { code: 'tag_not_found' } });
      const { tags } = await call('list_tags', { projectRoot });
      expect(tags.map((tag: AnyJson) => tag.name)).not.toContain('later');
    }
  },
);

test('expand_all of which every request failed can be retried, and asks for what failed alone', async () => {
  const projectRoot = await newPlan();
  const { taskId, pendingInteractions } = await call('expand_all', { projectRoot, num: 2, force: true });
  const error = { status: 'error', errorDetails: { type: 'billing_error', message: 'no credit' } };
  for (const { interactionId } of pendingInteractions)
    await call('agent_llm', { interactionId, agentLLMResponse: error });
  const failed = await call('task_status', { taskId, waitMs: 20_000 });
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'agent_error' } });
  expect((await call('retry_task', { taskId })).error).toBeUndefined();
  expect(await end(taskId)).toMatchObject({ status: 'completed', result: { expandedCount: 3 } });
});
