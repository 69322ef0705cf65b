import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  type AnyJson,
  callTool,
  callToolForError,
  connectMcpClient,
  successAnswer,
} from '../harness/mcp-client.ts';
import type { Arguments } from './argument-differences.ts';
import { TASK_MASTER_FILES } from './files.ts';

const { answers, types } = TASK_MASTER_FILES;

let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(() => baton.stop());

async function project(name: string, file?: object): Promise<AnyJson> {
  const response = await fetch(`${baton.url(0)}/v1/projects/${name}`, {
    ...(file ? { method: 'PUT', body: JSON.stringify(file) } : {}),
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  return response.json();
}

/** What becomes of a file on its way in and out, and why. */
const EXPLAINED_CHANGES: Readonly<Record<string, string>> = {
  'task.status: completed → done': 'Its own code takes the two for the same; one word is kept.',
  'subtask.status: completed → done': 'As for tasks.',
  'task.priority: null → medium': 'Its own code reads a missing priority as medium.',
  'subtask.priority: null → absent': 'A subtask without one has that of its task.',
  'task.details: null → absent': 'Null says that there are none.',
  'subtask.details: null → absent': 'As for tasks.',
  'task.testStrategy: null → absent': 'As details.',
  'subtask.testStrategy: null → absent': 'As details.',
};

/** A value of every field that a type has. */
function filled(facts: Arguments): AnyJson {
  const value = ({ type }: Arguments[string]): unknown =>
    type === 'string'
      ? 'text'
      : type === 'array'
        ? ['text']
        : [type].flat().includes('number')
          ? 3
          : { of: { its: [1, 'own'] } };
  const fields = Object.entries(facts).filter(([, { type }]) => type !== 'never');
  return Object.fromEntries(fields.map(([field, is]) => [field, value(is)]));
}

test('a file with every field, status and priority of its types comes back as it was, but for explained changes', async () => {
  let id = 0;
  const item = (facts: Arguments, more: object) => ({
    ...filled(facts),
    id: ++id,
    status: 'pending',
    priority: 'medium',
    dependencies: [],
    ...more,
  });
  const variants = [
    ...types.TaskStatus.enum.map((status) => ({ status })),
    ...[...types.TaskPriority.enum, null].map((priority) => ({ priority })),
    ...['details', 'testStrategy'].map((field) => ({ [field]: null })),
  ];
  const tasks = variants.map((variant) =>
    item(types.Task, { ...variant, subtasks: [item(types.Subtask, variant)] }),
  );
  await project('whole', {
    master: { tasks, metadata: { created: 'then', updated: 'now', description: 'D' } },
  });
  const back = (await project('whole')).master.tasks;
  const changes = tasks.flatMap((task: AnyJson, at) => [
    ...changesOf('task', task, back[at]),
    ...changesOf('subtask', task.subtasks[0], back[at].subtasks[0]),
  ]);
  expect([...new Set(changes)].sort()).toEqual(Object.keys(EXPLAINED_CHANGES).sort());
  expect(back[0].metadata).toEqual({ of: { its: [1, 'own'] } });
});

function changesOf(what: string, before: AnyJson, after: AnyJson): string[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (field) => field !== 'subtasks',
  );
  return fields
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map((field) => `${what}.${field}: ${before[field]} → ${after[field] ?? 'absent'}`);
}

test('the words of its answers are words of its files, and each is taken from an LLM', async () => {
  await project('words', { master: { tasks: [{ id: 1, title: 'T', description: 'D' }] } });
  const subtask = (status: string, at: number) => ({
    id: at + 1,
    title: 'Part of it',
    description: 'What it is about',
    details: 'How it is done, at length',
    dependencies: [],
    testStrategy: null,
    status,
  });
  const { interactionId } = await callTool(client, 'expand_task', {
    projectRoot: 'words',
    id: '1',
    num: '3',
  });
  const subtasks = answers.subtask['status']!.enum!.map(subtask);
  const { outcome } = await callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({ object: { subtasks } }),
  });
  expect(outcome).toMatchObject({ status: 'completed' });
  for (const priority of [...answers.task['priority']!.enum!, null]) {
    const asked = await callTool(client, 'update_task', { projectRoot: 'words', id: '1', prompt: 'x' });
    const { outcome: updated } = await callTool(client, 'agent_llm', {
      interactionId: asked.interactionId,
      agentLLMResponse: successAnswer({ object: { id: 1, title: `T ${priority}`, priority } }),
    });
    expect(updated.result.task).toMatchObject({ title: `T ${priority}`, ...(priority ? { priority } : {}) });
  }
});

test('next_task takes a critical task before a high one', async () => {
  const task = (id: number, priority: string) => ({ id, title: 'T', description: 'D', priority });
  await project('urgent', { master: { tasks: [task(1, 'high'), task(2, 'critical')] } });
  expect((await callTool(client, 'next_task', { projectRoot: 'urgent' })).task.id).toBe(2);
});

test('a complexity report has the fields of its schema, and all that its type requires', async () => {
  await project('report', { master: { tasks: [{ id: 1, title: 'T', description: 'D' }] } });
  const { interactionId } = await callTool(client, 'analyze_project_complexity', { projectRoot: 'report' });
  await callTool(client, 'agent_llm', {
    interactionId,
    agentLLMResponse: successAnswer({
      object: {
        complexityAnalysis: [
          {
            taskId: 1,
            taskTitle: 'T',
            complexityScore: 7,
            recommendedSubtasks: 4,
            expansionPrompt: 'p',
            reasoning: 'r',
          },
        ],
      },
    }),
  });
  const { report } = await callTool(client, 'complexity_report', { projectRoot: 'report' });
  const required = (facts: Arguments) => Object.keys(facts).filter((field) => facts[field]?.required);
  expect(Object.keys(report.complexityAnalysis[0])).toEqual(
    expect.arrayContaining(required(answers.analysis)),
  );
  expect(Object.keys(report.meta)).toEqual(expect.arrayContaining(required(types.ComplexityReportMetadata)));
  // Its type has another name for one field than its schema and its files.
  const unknown = required(types.ComplexityAnalysis).filter(
    (field) => !(field in report.complexityAnalysis[0]),
  );
  expect(unknown).toEqual(['complexityReasoning']);
});

describe('metadata', () => {
  const subtasks = [{ id: 1, title: 'S', description: 'D' }];
  const tasks = [
    { id: 1, title: 'T', description: 'D', metadata: { kept: [1], changed: 1 }, subtasks },
    { id: 2, title: 'Done', description: 'D', status: 'done' },
  ];
  beforeAll(() => project('own', { master: { tasks } }));
  const update = (tool: string, args: object) => callTool(client, tool, { projectRoot: 'own', ...args });

  test('is merged without an LLM where it comes alone, and shown by get_task and by the file', async () => {
    const result = await update('update_task', {
      id: '1',
      prompt: ' ',
      metadata: '{"changed":2,"new":{"a":null}}',
    });
    const merged = { kept: [1], changed: 2, new: { a: null } };
    expect(result).toMatchObject({ status: 'completed', updated: true, task: { metadata: merged } });
    expect(await update('update_task', { id: '1', metadata: { changed: 2 } })).toMatchObject({
      updated: false,
    });
    expect(await update('update_subtask', { id: '1.1', metadata: { ticket: 'A-1' } })).toMatchObject({
      status: 'completed',
      added: '',
      subtask: { metadata: { ticket: 'A-1' } },
    });
    const { task } = await update('get_task', { id: '1' });
    expect(task).toMatchObject({ metadata: merged, subtasks: [{ metadata: { ticket: 'A-1' } }] });
    expect((await project('own')).master.tasks[0]).toMatchObject(task);
  });

  test.each([
    ['update_task', '1', { object: { id: 1, title: 'New', metadata: { kept: 'no' } } }],
    ['update_task', '1', { text: 'A note.' }],
    ['update_subtask', '1.1', { text: 'A note.' }],
  ])(
    'stays through an answer of an LLM to %s %s, which never changes it, and takes what came with the prompt',
    async (tool, id, data) => {
      const before = (await update('get_task', { id })).task.metadata;
      const append = 'text' in data && tool === 'update_task' ? { append: true } : {};
      const asked = await update(tool, {
        id,
        prompt: 'x',
        metadata: { [`${tool}${Object.keys(data)}`]: true },
        ...append,
      });
      expect(JSON.stringify(asked.llmRequestForAgent)).not.toContain('kept');
      const { outcome } = await callTool(client, 'agent_llm', {
        interactionId: asked.interactionId,
        agentLLMResponse: successAnswer(data),
      });
      expect(outcome.status).toBe('completed');
      expect((await update('get_task', { id })).task.metadata).toEqual({
        ...before,
        [`${tool}${Object.keys(data)}`]: true,
      });
    },
  );

  test.each([
    ['a list', []],
    ['a number', 7],
    ['no JSON', '{"a":'],
    ['the text of a list', '[1]'],
    ['too long', { text: 'x'.repeat(50_001) }],
    ['too deep', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`],
  ])('is refused as %s, naming it, and nothing changes', async (_what, metadata) => {
    const before = await project('own');
    for (const [tool, id] of [
      ['update_task', '1'],
      ['update_subtask', '1.1'],
    ] as const) {
      const error = await callToolForError(client, tool, { projectRoot: 'own', id, metadata });
      expect(error).toMatchObject({ code: 'invalid_arguments', field: expect.stringMatching(/^metadata/) });
    }
    expect(await project('own')).toEqual(before);
  });

  test('never grows beyond its limit by one call after another, and never comes to a task that is done', async () => {
    const part = (name: string) => ({ id: '1', metadata: { [name]: 'x'.repeat(30_000) } });
    await update('update_task', part('first'));
    const args = { projectRoot: 'own', ...part('second') };
    expect(await callToolForError(client, 'update_task', args)).toMatchObject({ code: 'limit_size' });
    const done = { projectRoot: 'own', id: '2', metadata: { a: 1 } };
    expect(await callToolForError(client, 'update_task', done)).toMatchObject({ code: 'project_task_done' });
    const neither = await callToolForError(client, 'update_task', { projectRoot: 'own', id: '1' });
    expect(neither).toMatchObject({ code: 'invalid_arguments', field: 'prompt' });
  });
});
