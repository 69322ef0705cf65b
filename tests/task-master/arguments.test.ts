import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { readOpenApiDocument } from '../openapi/openapi-document.ts';
import { type AnyJson, callTool, callToolForError, connectMcpClient } from '../harness/mcp-client.ts';
import { differencesOf, TASK_MASTER_TOOLS } from './argument-differences.ts';
import { EXPLAINED_DIFFERENCES } from './explained-differences.ts';

let baton: InProcessDeployment;
let client: Client;
let tools: Map<string, AnyJson>;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
  client = await connectMcpClient(baton.url(0), baton.apiKey);
  // A listed schema says how a model writes an argument; the document has all that is taken.
  const { paths } = await readOpenApiDocument(baton.url(0));
  const wholeOf = (name: string) =>
    paths[`/v1/tools/${name}`]?.post.requestBody?.content['application/json'].schema;
  const { tools: listed } = await client.listTools();
  tools = new Map(
    listed.map((tool) => [tool.name, { ...tool, inputSchema: wholeOf(tool.name) ?? tool.inputSchema }]),
  );
});
afterAll(() => baton.stop());

test('every argument of every tool of claude-task-master is here, but for explained differences, and none is explained in vain', () => {
  const differences = differencesOf([...tools.values()]).map((difference) => {
    const everywhere = `*.${difference.slice(difference.indexOf('.') + 1)}`;
    return difference in EXPLAINED_DIFFERENCES
      ? difference
      : everywhere in EXPLAINED_DIFFERENCES
        ? everywhere
        : difference;
  });
  expect([...new Set(differences)].sort()).toEqual(Object.keys(EXPLAINED_DIFFERENCES).sort());
});

/** A value of the type that claude-task-master gives an argument. */
function valueOf(tool: string, argument: string): unknown {
  const { type = 'string', items } = TASK_MASTER_TOOLS[tool]?.[argument] ?? {};
  if (type === 'boolean') return true;
  return type === 'array' ? items?.enum : `/home/me/${argument}`;
}

/** By tool, the arguments that its schema marks as ignored. */
const ignoredOf = (tool: string): string[] =>
  Object.entries<AnyJson>(tools.get(tool).inputSchema.properties).flatMap(([argument, schema]) =>
    schema.deprecated ? [argument] : [],
  );

/** A call of each tool that succeeds on the project of `file`. */
const CALLS: Record<string, AnyJson> = {
  initialize_project: {},
  parse_prd: { prd: 'A shop.', force: true },
  analyze_project_complexity: {},
  expand_task: { id: '2', force: true },
  expand_all: { force: true },
  update: { from: '1', prompt: 'x' },
  update_task: { id: '1', metadata: '{"a":1}' },
  update_subtask: { id: '1.1', metadata: '{"a":1}' },
  add_task: { title: 'T', description: 'D' },
  scope_up_task: { id: '1' },
  scope_down_task: { id: '1' },
  research: { query: 'Q' },
  get_tasks: {},
  get_task: { id: '1' },
  next_task: {},
  set_task_status: { id: '1', status: 'in-progress' },
  add_subtask: { id: '1', title: 'T' },
  remove_task: { id: '2' },
  remove_subtask: { id: '1.1' },
  clear_subtasks: { id: '1', all: true },
  move_task: { from: '2', to: '9' },
  add_dependency: { id: '2', dependsOn: '1' },
  remove_dependency: { id: '3', dependsOn: '1' },
  validate_dependencies: {},
  fix_dependencies: {},
  complexity_report: {},
  list_tags: {},
  add_tag: { name: 'new' },
  copy_tag: { sourceName: 'master', targetName: 'copy' },
  rename_tag: { oldName: 'other', newName: 'renamed' },
  delete_tag: { name: 'other' },
  use_tag: { name: 'other' },
};
const task = (id: number, more: object = {}) => ({
  id,
  title: `T${id}`,
  description: 'D',
  status: 'pending',
  priority: 'high',
  dependencies: [],
  details: '',
  testStrategy: '',
  subtasks: [{ id: 1, title: 'S', description: 'D', status: 'pending', dependencies: [], details: '' }],
  ...more,
});
const file = { master: { tasks: [task(1), task(2), task(3, { dependencies: [1] })] }, other: { tasks: [] } };

async function importFile(projectRoot: string): Promise<void> {
  const response = await fetch(`${baton.url(0)}/v1/projects/${projectRoot}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(file),
  });
  expect(response.status).toBe(200);
}

describe('what a hosted service has no use for', () => {
  test.each(Object.keys(CALLS))(
    'is taken by %s, named with its reason, and changes nothing',
    async (tool) => {
      const ignored = ignoredOf(tool);
      expect(ignored.length).toBeGreaterThan(0);
      const extra = Object.fromEntries(ignored.map((argument) => [argument, valueOf(tool, argument)]));
      await Promise.all([importFile(`with-${tool}`), importFile(`without-${tool}`)]);
      const result = await callTool(client, tool, { ...CALLS[tool], projectRoot: `with-${tool}`, ...extra });
      expect(result.error).toBeUndefined();
      expect(result.ignored.map((one: AnyJson) => one.argument).sort()).toEqual([...ignored].sort());
      expect(result.ignored.every((one: AnyJson) => one.reason.length > 10)).toBe(true);
      const same = await callTool(client, tool, { ...CALLS[tool], projectRoot: `without-${tool}` });
      expect(same.ignored).toBeUndefined();
      expect(without(result)).toEqual(without(same));
    },
  );

  test('is refused where it is not of its type, naming it, and so is every other unknown argument', async () => {
    for (const [tool, args] of Object.entries(CALLS)) {
      for (const argument of ignoredOf(tool)) {
        for (const wrong of [7, {}, ['x'], 'x'.repeat(5_000)]) {
          const error = await callToolForError(client, tool, { ...args, [argument]: wrong });
          expect(error).toMatchObject({ code: 'invalid_arguments', field: argument });
        }
      }
      const error = await callToolForError(client, tool, { ...args, nonsense: 1 });
      expect(error).toMatchObject({ code: 'invalid_arguments', field: 'nonsense' });
    }
  });

  test('is named by the directive and by the result that comes of it, and by the text', async () => {
    const directive = await client.callTool({
      name: 'parse_prd',
      arguments: { projectRoot: 'both', prd: 'A shop.', output: '/home/me/tasks.json' },
    });
    const asked = directive.structuredContent as AnyJson;
    const ignored = [{ argument: 'output', reason: expect.any(String) }];
    expect(asked).toMatchObject({ status: 'pending_agent_llm_action', ignored });
    const { outcome } = await callTool(client, 'agent_llm', {
      interactionId: asked.interactionId,
      agentLLMResponse: {
        status: 'success',
        data: { object: { tasks: [{ id: 1, title: 'T', description: 'D' }] } },
      },
    });
    expect(outcome.result).toMatchObject({ status: 'completed', ignored });
    const added = await client.callTool({
      name: 'add_task',
      arguments: { projectRoot: 'both', title: 'T', description: 'D', file: '/home/me/tasks.json' },
    });
    expect((added.content as AnyJson)[0].text).toMatch(/Ignored: file\.$/);
  });

  test('is never the rules of a project: profiles of editors are ignored, texts are kept', async () => {
    const start = (rules: unknown) => callTool(client, 'initialize_project', { projectRoot: 'rules', rules });
    expect(await start(['Test first.'])).toMatchObject({ rules_applied: ['Test first.'] });
    const result = await start(['cursor', 'claude']);
    expect(result).toMatchObject({ rules_applied: ['Test first.'], ignored: [{ argument: 'rules' }] });
    expect(await start(['cursor', 'Use tabs.'])).toMatchObject({ rules_applied: ['cursor', 'Use tabs.'] });
  });
});

test('arguments that claude-task-master takes together are taken together, and the one that it heeds decides', async () => {
  await importFile('together');
  const call = (tool: string, args: object) => callTool(client, tool, { projectRoot: 'together', ...args });
  await call('clear_subtasks', { id: '3', all: true });
  const left = await call('get_tasks', { withSubtasks: true });
  expect(left.tasks.map(({ subtasks = [] }: AnyJson) => subtasks.length)).toEqual([0, 0, 0]);
  const part = await call('add_subtask', { id: '1', taskId: '2', title: 'not used' });
  expect(part.subtask).toMatchObject({ title: 'T2' });
  const copied = await call('add_tag', { name: 'new', copyFromCurrent: true, copyFromTag: 'other' });
  expect(copied).toMatchObject({ copiedFrom: 'other', tasksCopied: 0 });
  const moved = await call('move_task', {
    from: '3',
    to: '9',
    fromTag: 'master',
    toTag: 'new',
    ignoreDependencies: true,
  });
  expect(moved).toMatchObject({ moved: [{ from: '3', to: '3' }] });
});

/** A result without what differs from call to call. */
function without(result: AnyJson): unknown {
  const text = JSON.stringify({ ...result, ignored: undefined });
  return JSON.parse(
    text
      .replaceAll(/"[0-9a-f-]{36}"/g, '"id"')
      .replaceAll(/task_[\w-]+|tk_[\w-]+/g, 'id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
      .replaceAll(/with(out)?-(?=[a-z])/g, ''),
  );
}
