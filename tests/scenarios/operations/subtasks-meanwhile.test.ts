import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../../harness/mcp-client.ts';

/** What others do to the subtasks and the dependencies of a task while an LLM is at work on it. */
let baton: InProcessDeployment;
let clients: Client[];
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((gateway) => connectMcpClient(baton.url(gateway), baton.apiKey)));
});
afterAll(() => baton.stop());

const call = (name: string, args: object) => callTool(clients[1]!, name, args);
async function answer(asked: AnyJson, object: object): Promise<AnyJson> {
  const { outcome } = await callTool(clients[0]!, 'agent_llm', {
    interactionId: asked.interactionId,
    agentLLMResponse: { status: 'success', data: { object } },
    waitMs: 20_000,
  });
  return outcome;
}

let projects = 0;
/** Task 1 with subtasks 1.1 and 1.2, and task 2. */
async function newPlan(): Promise<string> {
  const projectRoot = `/meanwhile/${projects++}`;
  for (const title of ['One', 'Two'])
    await call('add_task', { projectRoot, title, description: 'As planned' });
  for (const title of ['First', 'Second']) await call('add_subtask', { projectRoot, id: '1', title });
  return projectRoot;
}

async function subtasksOf(projectRoot: string): Promise<string[]> {
  const { task } = await call('get_task', { projectRoot, id: '1' });
  return task.subtasks.map((part: AnyJson) => `${part.id} ${part.title} ${part.details}`.trim());
}

const SECOND = { id: 2, title: 'Second, revised', details: 'By the LLM.' };
const WAYS = {
  gone: (projectRoot: string) => call('remove_subtask', { projectRoot, id: '1.2' }),
  done: (projectRoot: string) => call('set_task_status', { projectRoot, id: '1.2', status: 'done' }),
};

test.each([
  ['update_task', { id: '1' }, (task: object) => task],
  ['update', { from: 1 }, (task: object) => ({ tasks: [task] })],
] as const)('%s neither changes nor makes again a subtask that is gone or done', async (name, args, form) => {
  for (const [reason, change] of Object.entries(WAYS)) {
    const projectRoot = await newPlan();
    const asked = await call(name, { projectRoot, prompt: 'Use SQLite.', ...args });
    await change(projectRoot);
    const before = await subtasksOf(projectRoot);
    const { result } = await answer(asked, form({ id: 1, description: 'On SQLite', subtasks: [SECOND] }));
    expect(result).toMatchObject({ subtasksSkipped: [{ id: '1.2', reason }] });
    expect(await subtasksOf(projectRoot)).toEqual(before);
  }
});

test('a subtask that has the number of a removed one by now is left alone, and nothing depends on it', async () => {
  const projectRoot = await newPlan();
  const asked = await call('update_task', { projectRoot, id: '1', prompt: 'Use SQLite.' });
  await call('remove_subtask', { projectRoot, id: '1.2' });
  await call('add_subtask', { projectRoot, id: '1', title: 'Theirs', details: 'By a colleague.' });
  const first = { id: 1, dependencies: [2] };
  const { result } = await answer(asked, {
    id: 1,
    title: 'One, revised',
    subtasks: [first, SECOND],
  });
  expect(result).toMatchObject({
    subtasksSkipped: [{ id: '1.2', reason: 'gone' }],
    dependenciesIgnored: ['1.1 → 2'],
    task: { title: 'One, revised', subtasks: [{ id: 1, dependencies: [] }, { title: 'Theirs' }] },
  });
  expect(await subtasksOf(projectRoot)).toEqual(['1 First', '2 Theirs By a colleague.']);
});

test('dependencies of subtasks that are not taken are named, siblings by their ids', async () => {
  const projectRoot = await newPlan();
  const asked = await call('update_task', { projectRoot, id: '1', prompt: 'Use SQLite.' });
  const subtasks = [
    { id: 1, dependencies: [77, '55.1', 2] },
    { id: 2, dependencies: ['1.1', 2] },
  ];
  const { result } = await answer(asked, { id: 1, subtasks });
  expect(result.dependenciesIgnored.toSorted()).toEqual(
    ['1.1 → 77', '1.1 → 55.1', '1.1 → 1.2', '1.2 → 1.1', '1.2 → 1.2'].toSorted(),
  );
});

const PARTS = { subtasks: [1, 2].map((id) => ({ id, title: `New ${id}`, description: 'D', details: '' })) };
const SCOPED = {
  title: 'One',
  description: 'More',
  details: '',
  testStrategy: '',
  priority: 'high',
  ...PARTS,
};

test.each([
  ['expand_task', { id: '1', force: true, num: 2 }, PARTS],
  ['expand_all', { force: true, num: 2 }, PARTS],
  ['scope_up_task', { id: '1' }, SCOPED],
])('%s leaves the subtasks that others added meanwhile', async (name, args, object) => {
  const projectRoot = await newPlan();
  await call('set_task_status', { projectRoot, id: '2', status: 'cancelled' });
  const asked = await call(name, { projectRoot, ...args });
  await call('remove_subtask', { projectRoot, id: '1.2' });
  await call('add_subtask', { projectRoot, id: '1', title: 'Theirs' });
  const ended = await answer(asked.pendingInteractions?.[0] ?? asked, object);
  expect(ended).toMatchObject({ status: 'completed' });
  expect(await subtasksOf(projectRoot)).toEqual(['2 Theirs', '3 New 1', '4 New 2']);
});

const NEW = { title: 'Made', description: 'D', details: '', testStrategy: '' };

test.each([
  ['was removed', (projectRoot: string) => call('remove_task', { projectRoot, id: '2' })],
  [
    'is another by now',
    async (projectRoot: string) => {
      await call('remove_task', { projectRoot, id: '2' });
      await call('add_task', { projectRoot, title: 'Theirs', description: 'D' });
    },
  ],
  ['was moved', (projectRoot: string) => call('move_task', { projectRoot, from: '2', to: '12' })],
])('add_task keeps its answer where a dependency %s meanwhile', async (_claim, change) => {
  const projectRoot = await newPlan();
  const asked = await call('add_task', { projectRoot, prompt: 'A well.', dependencies: '1,2' });
  await change(projectRoot);
  const { result } = await answer(asked, { ...NEW, dependencies: [2] });
  expect(result).toMatchObject({ dependenciesIgnored: [`${result.id} → 2`], task: { dependencies: [1] } });
});

test('an analysis tells nothing of tasks that were removed meanwhile', async () => {
  const projectRoot = await newPlan();
  const asked = await call('analyze_project_complexity', { projectRoot });
  await call('remove_task', { projectRoot, id: '2' });
  const judged = { complexityScore: 9, recommendedSubtasks: 3, expansionPrompt: 'Split', reasoning: 'Large' };
  const complexityAnalysis = [1, 2].map((taskId) => ({ taskId, taskTitle: `T ${taskId}`, ...judged }));
  const { result } = await answer(asked, { complexityAnalysis });
  expect(result).toMatchObject({ tasksAnalyzed: 1, gone: [2], summary: { tasksToExpand: [1] } });
});

test('parse_prd with force names the dependencies that a task which stays has lost', async () => {
  const projectRoot = await newPlan();
  const asked = await call('parse_prd', { projectRoot, prd: 'A shop.', force: true, numTasks: 1 });
  await call('add_task', { projectRoot, title: 'Late', description: 'D', dependencies: '1,2' });
  const { result } = await answer(asked, { tasks: [{ id: 1, ...NEW, dependencies: [] }] });
  expect(result.droppedDependencies).toEqual(['3 → 1', '3 → 2']);
});
