import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, connectMcpClient, type AnyJson, callToolForError } from '../../harness/mcp-client.ts';
import { InProcessDeployment } from '../../harness/in-process-deployment.ts';

/** Every tool without an LLM over the wire; the official client holds each result against its output schema. */
let baton: InProcessDeployment;
let one: Client;
let other: Client;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  one = await connectMcpClient(baton.url(0), baton.apiKey);
  other = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(() => baton.stop());

const projectRoot = '/home/ada/shop';
const use = (name: string, args: object = {}) => callTool(one, name, { projectRoot, ...args });

test('a project is created, changed and removed by tools without an LLM, and each step is visible at the other replica', async () => {
  expect(await use('initialize_project', { name: 'Shop', rules: ['Be plain.'] })).toMatchObject({
    operation: 'initialize_project',
    workspace: { id: projectRoot, name: 'Shop' },
    rules_applied: ['Be plain.'],
    setup_complete: true,
  });
  for (const title of ['Catalogue', 'Basket', 'Checkout'])
    await use('add_task', { title, description: 'By hand' });
  expect(await use('add_subtask', { id: 1, title: 'Table of teas' })).toMatchObject({ id: '1.1' });
  await use('add_subtask', { id: 1, title: 'Page', dependencies: '1.1' });
  await use('add_dependency', { id: '2-3', dependsOn: 1 });
  await use('add_dependency', { id: '3', dependsOn: '2' });

  const cycle = await callToolForError(other, 'add_dependency', { projectRoot, id: '1', dependsOn: '3' });
  expect(cycle).toMatchObject({ code: 'dependency_cycle', chain: ['1', '3', '1'] });
  expect(
    (await callToolForError(other, 'add_dependency', { projectRoot, id: '1', dependsOn: '1' })).code,
  ).toBe('dependency_cycle');
  expect(
    (await callToolForError(other, 'add_dependency', { projectRoot, id: '1', dependsOn: '44' })).message,
  ).toContain('44');
  expect(await use('validate_dependencies')).toMatchObject({ valid: true });
  expect(await use('fix_dependencies')).toMatchObject({ fixed: [] });
  await use('remove_dependency', { id: 3, dependsOn: 1 });

  expect(await use('move_task', { from: '1', to: '10' })).toMatchObject({ moved: [{ from: '1', to: '10' }] });
  const { tasks } = await callTool(other, 'get_tasks', { projectRoot, withSubtasks: true });
  expect(tasks.map(({ id, dependencies }: AnyJson) => [id, dependencies])).toEqual([
    [2, [10]],
    [3, [2]],
    [10, []],
  ]);
  expect(await use('remove_subtask', { id: '10.2', convert: true })).toMatchObject({
    converted: [{ id: 11 }],
  });
  expect(await use('clear_subtasks', { all: true })).toMatchObject({
    cleared: [{ id: 10, subtasksRemoved: 1 }],
  });
  expect(await use('remove_task', { id: '2,11' })).toMatchObject({ removed: [{ id: '2' }, { id: '11' }] });

  await use('add_tag', { name: 'v2', copyFromCurrent: true });
  await use('copy_tag', { sourceName: 'v2', targetName: 'v3' });
  await use('rename_tag', { oldName: 'v3', newName: 'v4' });
  await use('use_tag', { name: 'v4' });
  expect(await callTool(other, 'list_tags', { projectRoot })).toMatchObject({
    currentTag: 'v4',
    totalTags: 3,
  });
  expect(await use('delete_tag', { name: 'v4' })).toMatchObject({ currentTag: 'master', tasksDeleted: 2 });

  expect(await use('set_rules', { rules: 'Be kind.', append: true })).toMatchObject({
    rules: ['Be plain.', 'Be kind.'],
  });
  expect(await use('connect_files', { files: [{ name: 'a.md', text: 'Tea.' }] })).toMatchObject({
    files: [{ name: 'a.md' }],
  });
  expect(await use('complexity_report')).toMatchObject({ report: null });
  const { prompt } = await use('generate_prompt', { operation: 'parse_prd', context: { input: 'a.md' } });
  expect(prompt).toContain('a.md');
});

test('tools/list has a title, both schemas and annotations of each tool on one page', async () => {
  const { tools, nextCursor } = await one.listTools();
  expect(nextCursor).toBeUndefined();
  for (const tool of tools) {
    expect(tool.title ?? tool.annotations?.title, tool.name).toBeTruthy();
    expect(tool.outputSchema, tool.name).toBeTruthy();
  }
  const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name);
  expect(destructive).toEqual(
    expect.arrayContaining([
      'remove_task',
      'delete_tag',
      'clear_subtasks',
      'parse_prd',
      'connect_files',
      'set_rules',
      'initialize_project',
      'set_task_status',
      'update_subtask',
      'analyze_project_complexity',
    ]),
  );
});
