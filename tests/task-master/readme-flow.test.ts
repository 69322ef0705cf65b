import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { answerUntilEnd } from '../scenarios/operations/run-operation-to-end.ts';
import { createScriptedAgent } from '../scripted-agent/scripted-agent.ts';
import { TASK_MASTER_TOOLS } from './argument-differences.ts';

const projectRoot = '/home/me/projects/shop';

let baton: InProcessDeployment;
let client: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
});
afterAll(() => baton.stop());

/** Calls a tool as its definition by claude-task-master allows, and nothing else; answers what it delegates. */
async function call(tool: string, args: Record<string, unknown>): Promise<AnyJson> {
  const theirs = TASK_MASTER_TOOLS[tool]!;
  for (const [argument, value] of Object.entries(args)) {
    const type = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
    expect(theirs[argument]?.type, `${tool} has ${argument}`).toBe(type);
  }
  for (const [argument, { required }] of Object.entries(theirs))
    if (required) expect(Object.keys(args), tool).toContain(argument);
  const result = await callTool(client, tool, args);
  expect(result.error, tool).toBeUndefined();
  if (result.status !== 'pending_agent_llm_action') return result;
  const end = await answerUntilEnd([client], createScriptedAgent({ seed: 14 }), result.taskId);
  expect(end.status, JSON.stringify(end.error)).toBe('completed');
  return end.result;
}
const ignored = (result: AnyJson) => result.ignored?.map((one: AnyJson) => one.argument).sort();
const file = `${projectRoot}/.taskmaster/tasks/tasks.json`;
const complexityReport = `${projectRoot}/.taskmaster/reports/task-complexity-report.json`;

test("a client that knows claude-task-master's definitions alone goes from a document to done work", async () => {
  const started = await call('initialize_project', {
    projectRoot,
    skipInstall: true,
    addAliases: false,
    initGit: true,
    storeTasksInGit: true,
    yes: true,
    rules: ['cursor', 'claude'],
  });
  expect(started.setup_complete).toBe(true);
  expect(ignored(started)).toEqual([
    'addAliases',
    'initGit',
    'rules',
    'skipInstall',
    'storeTasksInGit',
    'yes',
  ]);

  // The document's author puts it into the project, as he would write it into the folder; no tool of claude-task-master does.
  const files = [
    { name: '.taskmaster/docs/prd.txt', text: 'A shop with a catalogue, a basket and a checkout.' },
  ];
  expect((await callTool(client, 'connect_files', { projectRoot, files })).files).toHaveLength(1);

  const input = `${projectRoot}/.taskmaster/docs/prd.txt`;
  const parsed = await call('parse_prd', { projectRoot, input, output: file, numTasks: '5', force: true });
  expect(parsed.tasksAdded).toBe(5);
  expect(ignored(parsed)).toEqual(['output']);
  // The document is where claude-task-master looks for it, so that it need not be named.
  expect((await call('parse_prd', { projectRoot, numTasks: '5', force: true })).tasksAdded).toBe(5);

  const tasks = async () => (await call('get_tasks', { projectRoot, withSubtasks: true })).tasks;
  const [first, second] = await tasks();
  const several = await call('get_task', { projectRoot, id: `${first.id},${second.id}` });
  expect(several.tasks.map(({ id }: AnyJson) => id)).toEqual([first.id, second.id]);

  const analyzed = await call('analyze_project_complexity', {
    projectRoot,
    threshold: 5,
    research: true,
    output: complexityReport,
    file,
  });
  expect(ignored(analyzed)).toEqual(['file', 'output']);
  expect(
    (await call('complexity_report', { projectRoot, file: complexityReport })).report.complexityAnalysis,
  ).toHaveLength(5);
  await call('expand_task', { projectRoot, id: `${first.id}`, num: '2', force: true, file });
  const expanded = await call('expand_all', { projectRoot, num: '3', research: false, force: false, file });
  expect(expanded.failedCount).toBe(0);
  for (const { subtasks } of await tasks()) expect(subtasks.length).toBeGreaterThan(0);

  await call('update', { projectRoot, from: '2', prompt: 'Pay by invoice only.', file });
  await call('update_task', {
    projectRoot,
    id: `${first.id}`,
    prompt: 'Use SQLite.',
    metadata: '{"ticket":"S-1"}',
    file,
  });
  await call('update_subtask', { projectRoot, id: `${first.id}.1`, prompt: 'Tried it out.', file });
  await call('add_task', {
    projectRoot,
    prompt: 'A page for returns.',
    priority: 'high',
    research: false,
    file,
  });
  await call('add_subtask', { projectRoot, id: `${second.id}`, title: 'By hand', skipGenerate: true, file });
  const [before] = await tasks();
  expect(before.metadata).toEqual({ ticket: 'S-1' });
  await call('validate_dependencies', { projectRoot, file });
  await call('fix_dependencies', { projectRoot, file });

  // Work goes on until nothing is left.
  for (let turn = 0; turn < 200; turn++) {
    const { task } = await call('next_task', { projectRoot, file, complexityReport });
    if (task === null) break;
    await call('set_task_status', { projectRoot, id: `${task.id}`, status: 'in-progress' });
    await call('set_task_status', { projectRoot, id: `${task.id}`, status: 'done' });
  }
  expect(new Set((await tasks()).map(({ status }: AnyJson) => status))).toEqual(new Set(['done']));

  await call('add_tag', { projectRoot, name: 'feature', copyFromCurrent: true, fromBranch: false, file });
  await call('use_tag', { projectRoot, name: 'feature', file });
  await call('clear_subtasks', { projectRoot, id: '1', all: true, file });
  await call('remove_task', { projectRoot, id: '1', confirm: true, file });
  await call('use_tag', { projectRoot, name: 'master', file });
  await call('delete_tag', { projectRoot, name: 'feature', yes: true, file });
  expect((await call('list_tags', { projectRoot, showMetadata: true, file })).totalTags).toBe(1);
});

test('what else its definitions have does its work, as models write it: blank texts and null for what is left out, numbers for ids', async () => {
  const root = '/home/me/projects/rest';
  const blank = { file: '', tag: '' };
  const made = (tool: string, args: AnyJson) => callTool(client, tool, { projectRoot: root, ...args });
  const unread = await made('initialize_project', {}).then(() =>
    made('parse_prd', { input: `${root}/.taskmaster/docs/prd.txt` }),
  );
  expect(unread.error).toMatchObject({ code: 'file_not_found' });
  expect(unread.error.message).toMatch(/'\.taskmaster\/docs\/prd\.txt'.*connect_files.*prd/);
  for (const title of ['One', 'Two', 'Three', 'Four'])
    expect(
      (
        await made('add_task', {
          title,
          description: 'D',
          prompt: '',
          priority: '',
          dependencies: '',
          ...blank,
        })
      ).error,
    ).toBeUndefined();

  const rows: readonly (readonly [string, AnyJson, AnyJson])[] = [
    ['get_tasks', { status: '', withSubtasks: 'true', ...blank }, { tag: 'master' }],
    ['add_dependency', { id: 2, dependsOn: 1, ...blank }, { added: [{ id: '2', dependsOn: '1' }] }],
    ['remove_dependency', { id: 2, dependsOn: '1', ...blank }, { removed: [{ id: '2', dependsOn: '1' }] }],
    ['add_subtask', { id: 1, title: 'Part', taskId: '', status: '', details: '', ...blank }, { id: '1.1' }],
    ['add_subtask', { id: '1', taskId: 4, title: null, ...blank }, { id: '1.2' }],
    [
      'move_task',
      { from: '1.1', to: '2.1', fromTag: '', toTag: null },
      { moved: [{ from: '1.1', to: '2.1' }] },
    ],
    ['remove_subtask', { id: '1.2', convert: 'true', skipGenerate: false }, { converted: [{ id: 4 }] }],
    ['clear_subtasks', { id: '', all: 'true', ...blank }, { cleared: [{ id: 2 }] }],
    ['copy_tag', { sourceName: 'master', targetName: 'kept', description: '' }, { tag: 'kept' }],
    ['rename_tag', { oldName: 'kept', newName: 'later', file: '' }, { newName: 'later' }],
    [
      'add_tag',
      { name: 'now', copyFromTag: '', copyFromCurrent: 'false', description: '' },
      { tasksCopied: 0 },
    ],
    [
      'move_task',
      { from: '3', to: '', fromTag: 'later', toTag: 'now', withDependencies: 'false' },
      { moved: [{ from: '3', to: '3' }] },
    ],
    ['next_task', { complexityReport: '', ...blank }, { tag: 'master' }],
  ];
  for (const [tool, args, outcome] of rows) expect(await made(tool, args), tool).toMatchObject(outcome);

  for (const [tool, args, wayOut] of [
    ['remove_subtask', { id: 2.1 }, 'write it as text'],
    ['research', { query: 'Why?', filePaths: 'src/api.js' }, 'customContext takes the text itself'],
  ] as const)
    expect((await made(tool, args)).error.message, tool).toContain(wayOut);
});
