import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { LlmRequest } from '@baton/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  callToolForError,
} from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';
import { createScriptedAgent } from '../../scripted-agent/scripted-agent.ts';
import { runOperationToEnd } from './run-operation-to-end.ts';

/** Each operation over the wire, through the official client, which holds every result against its output schema. */
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 1e9));
console.log(`operations: SEED=${seed}`);

let baton: InProcessDeployment;
let clients: Client[];
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 2 });
  clients = await Promise.all([0, 1].map((gateway) => connectMcpClient(baton.url(gateway), baton.apiKey)));
});
afterAll(() => baton.stop());

const prd = readFileSync(new URL('../../fixtures/prd-library.txt', import.meta.url), 'utf8');

test('a document becomes tasks that are analyzed, expanded, updated and completed', {
  timeout: 120_000,
}, async () => {
  const [one, other] = clients as [Client, Client];
  const projectRoot = 'walk';
  const [hasty, careful] = [createScriptedAgent({ seed, wrongRate: 0.1 }), createScriptedAgent({ seed })];
  // It is hasty once in each operation: four wrong answers in a row end one. An analysis that judges no task is one.
  const run = (operation: string, args: object) => {
    const agents = operation === 'analyze_project_complexity' ? [] : [hasty];
    const answer = (request: LlmRequest) => (agents.pop() ?? careful).answer(request);
    return runOperationToEnd(clients, { ...hasty, answer }, operation, { projectRoot, ...args });
  };
  const done = async (operation: string, args: object) => {
    const end = await run(operation, args);
    expect(end.status, JSON.stringify(end.error)).toBe('completed');
    return end.result;
  };

  await callTool(one, 'initialize_project', { projectRoot, name: 'Library', rules: ['Write tests first.'] });
  await callTool(one, 'connect_files', { projectRoot, files: [{ name: 'prd.txt', text: prd }] });
  const parsed = await done('parse_prd', { input: 'prd.txt', numTasks: 5 });
  expect(parsed.taskIds).toEqual([1, 2, 3, 4, 5]);

  const analyzed = await done('analyze_project_complexity', {});
  expect(analyzed.tasksAnalyzed).toBe(5);
  const { report } = await callTool(other, 'complexity_report', { projectRoot });
  expect(report.complexityAnalysis.map((entry: AnyJson) => entry.taskId)).toEqual([1, 2, 3, 4, 5]);
  expect(report.meta).toMatchObject({ projectName: 'Library', totalTasks: 5 });

  const expanded = await done('expand_all', { num: 2 });
  expect(expanded, JSON.stringify(expanded.failed)).toMatchObject({
    tasksToExpand: 5,
    expandedCount: 5,
    failedCount: 0,
  });
  const again = await done('expand_task', { id: '1', num: '1', prompt: 'One more.' });
  expect(again.task.subtasks).toHaveLength(again.subtasksAdded + expanded.expanded[0].subtasksAdded);

  await done('update', { from: '3', prompt: 'Use SQLite.' });
  const revised = await done('update_task', { id: 2, prompt: 'Use SQLite.', append: true });
  expect(revised.task.details).toMatch(/<info added on \d{4}-.*Z>\n/);
  const noted = await done('update_subtask', { id: '1.1', prompt: 'Found a library.' });
  expect(noted.subtask.details).toContain(noted.added);
  const added = await done('add_task', { prompt: 'A search.' });
  expect(added.id).toBe(6);

  for (let turn = 0; turn < 60; turn++) {
    const { task } = await callTool(turn % 2 ? one : other, 'next_task', { projectRoot });
    if (task === null) break;
    await callTool(one, 'set_task_status', { projectRoot, id: String(task.id), status: 'completed' });
  }
  const { stats } = await callTool(other, 'get_tasks', { projectRoot });
  expect(stats).toMatchObject({ total: 6, completed: 6, completionPercentage: 100 });
});

describe('outcomes', () => {
  const projectRoot = 'outcomes';
  const answer = (asked: AnyJson, data: unknown) =>
    callTool(clients[1]!, 'agent_llm', {
      interactionId: asked.interactionId,
      agentLLMResponse: successAnswer(data),
      waitMs: 20_000,
    });

  test('a task with all fields needs no LLM, and its result is in the reply', async () => {
    const result = await callTool(clients[0]!, 'add_task', {
      projectRoot,
      title: 'By hand',
      description: 'D',
    });
    expect(result).toMatchObject({
      status: 'completed',
      operation: 'add_task',
      id: 1,
      task: { title: 'By hand' },
    });
    expect(result.taskId).toMatch(/-/);
  });

  test('tasks added at once get ids of their own', async () => {
    const starts = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        callTool(clients[n % 2]!, 'add_task', { projectRoot: 'ids', prompt: `Task ${n}` }),
      ),
    );
    const ends = await Promise.all(
      starts.map((asked, n) => answer(asked, { title: `T${n}`, description: 'd' })),
    );
    const ids = ends.map(({ outcome }) => outcome.result.id).sort((a, b) => a - b);
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('an operation on a task that is removed meanwhile fails by name, and never changes anything else', async () => {
    const asked = await callTool(clients[0]!, 'expand_task', { projectRoot, id: 1 });
    await callTool(clients[1]!, 'remove_task', { projectRoot, id: '1' });
    const { outcome } = await answer(asked, { subtasks: [{ id: 1, title: 'T', description: 'd' }] });
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'project_task_not_found', id: '1' } });
    expect((await callTool(clients[0]!, 'get_tasks', { projectRoot })).tasks).toEqual([]);
  });

  test.each([
    ['expand_task', { id: 9 }, 'project_task_not_found'],
    ['expand_all', { tag: 'none' }, 'tag_not_found'],
    ['update', { from: 1, prompt: '   ' }, 'invalid_arguments'],
    ['update_task', { id: '1.1', prompt: 'x' }, 'invalid_arguments'],
    ['update_subtask', { id: '1', prompt: 'x' }, 'invalid_arguments'],
    ['add_task', { title: 'Half' }, 'invalid_arguments'],
    ['analyze_project_complexity', { threshold: 11 }, 'invalid_arguments'],
    ['parse_prd', { prd: 'A', input: 'b' }, 'invalid_arguments'],
    ['parse_prd', { input: 'none.md' }, 'file_not_found'],
    ['expand_all', { projectRoot: 'nowhere' }, 'project_not_found'],
  ])('%s %j is refused at once: %s', async (operation, args, code) => {
    expect((await callToolForError(clients[0]!, operation, { projectRoot, ...args })).code).toBe(code);
  });
});

describe('expand_all', () => {
  const plan = async (projectRoot: string, count: number) => {
    const tasks = Array.from({ length: count }, (_, at) => ({
      id: at + 1,
      title: `Task ${at + 1}`,
      description: 'd',
    }));
    const response = await fetch(`${baton.url(0)}/v1/projects/${projectRoot}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ master: { tasks } }),
    });
    expect(response.status).toBe(200);
  };

  test('opens several requests at once and lists them without their prompts; successes are kept, failures are listed', async () => {
    await plan('fan', 20);
    const asked = await callTool(clients[0]!, 'expand_all', { projectRoot: 'fan', atOnce: '5' });
    expect(asked.pendingInteractions).toHaveLength(5);
    expect(JSON.stringify(asked.pendingInteractions).length).toBeLessThan(1_500);
    expect(asked.pendingInteractions[0]).toMatchObject({
      interactionId: asked.interactionId,
      summary: 'Split task 1: Task 1',
    });

    // The last is answered first, and is in the project while the others wait.
    const last = asked.pendingInteractions.at(-1);
    const subtasks = [{ id: 1, title: 'Part', description: 'd' }];
    const data = {
      interactionId: last.interactionId,
      agentLLMResponse: successAnswer({ subtasks }),
      waitMs: 20_000,
    };
    const { outcome } = await callTool(clients[1]!, 'agent_llm', data);
    expect(outcome.status).toBe('input_required');
    expect(outcome.pendingInteractions).toHaveLength(5);
    expect(
      (await callTool(clients[0]!, 'get_task', { projectRoot: 'fan', id: 5 })).task.subtasks,
    ).toHaveLength(1);

    const failing = {
      answer: ({ messages }: AnyJson) =>
        JSON.stringify(messages).includes('\\"id\\":7,')
          ? { status: 'error', errorDetails: { message: 'Out of credit', type: 'billing_error' } }
          : successAnswer({ subtasks }),
    };
    const { answerUntilEnd } = await import('./run-operation-to-end.ts');
    const end = await answerUntilEnd(clients, failing as AnyJson, asked.taskId);
    expect(end.result).toMatchObject({
      expandedCount: 19,
      failedCount: 1,
      failed: [{ id: 7, code: 'agent_error' }],
    });
    const { stats } = await callTool(clients[0]!, 'get_tasks', { projectRoot: 'fan' });
    expect(stats.subtasks.total).toBe(19);
  });
});
