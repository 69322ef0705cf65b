import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  postJsonRpc,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';

/** The half of seed 5 that is about tools; the official client holds each result against its output schema. */
describe('tools', () => {
  let baton: InProcessDeployment;
  let client: Client;
  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 1, workers: 1 });
    client = await connectMcpClient(baton.url(), baton.apiKey);
  });
  afterAll(async () => {
    await client?.close();
    await baton?.stop();
  });

  const rpc = async (method: string, params: object = {}): Promise<AnyJson> => {
    const accept = { accept: 'application/json, text/event-stream' };
    return (await postJsonRpc(baton.url(), baton.apiKey, { jsonrpc: '2.0', id: 1, method, params }, accept))
      .body;
  };

  test('the server declares the tools capability, and that it tells of changes of the list [tools-capability]', async () => {
    const connected = await connectMcpClient(baton.url(), baton.apiKey);
    expect(connected.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  });

  test('every tool has a name, a title, a description and both schemas, in a stable order [tools-list]', async () => {
    const { tools } = (await rpc('tools/list')).result;
    for (const tool of tools) {
      expect(tool).toMatchObject({
        name: expect.stringMatching(/^[a-z_]+$/),
        title: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', oneOf: expect.any(Array) },
      });
    }
    expect(new Set(tools.map(({ name }: AnyJson) => name)).size).toBe(tools.length);
    expect((await rpc('tools/list')).result.tools).toEqual(tools);
  });

  test('a list that fits one page has no cursor, and an unknown cursor is refused [opaque-cursors]', async () => {
    expect((await rpc('tools/list')).result).not.toHaveProperty('nextCursor');
    expect((await rpc('tools/list', { cursor: 'x' })).error.code).toBe(-32602);
  });

  test('annotations mark a tool as read-only or destructive, and never as both [tool-annotations]', async () => {
    const { tools } = await client.listTools();
    for (const { name, annotations } of tools) {
      expect([name, annotations]).toEqual([
        name,
        expect.objectContaining({
          readOnlyHint: expect.any(Boolean),
          destructiveHint: expect.any(Boolean),
          idempotentHint: expect.any(Boolean),
          openWorldHint: expect.any(Boolean),
        }),
      ]);
      expect([name, annotations?.readOnlyHint && annotations.destructiveHint]).toEqual([name, false]);
    }
  });

  test('a read-only tool never changes the project [tool-annotations]', async () => {
    const projectRoot = 'read-only';
    await callTool(client, 'add_task', { projectRoot, title: 'Look', description: 'Only.' });
    const before = await baton.store.tenant('acme').projects.open(projectRoot);
    const { tools } = await client.listTools();
    const reading = tools.filter(({ annotations }) => annotations?.readOnlyHint);
    expect(reading.length).toBeGreaterThan(5);
    for (const { name, inputSchema } of reading) {
      const fields = Object.keys(inputSchema.properties ?? {});
      const args = { projectRoot, id: '1', operation: 'update', taskId: 'x' };
      const given = Object.entries(args).filter(([field]) => fields.includes(field));
      await client.callTool({ name, arguments: Object.fromEntries(given) });
    }
    expect(await baton.store.tenant('acme').projects.open(projectRoot)).toEqual(before);
  });

  test('a result is structured, fits its schema and has a sentence of text [tool-structured, results-fit-schemas]', async () => {
    const projectRoot = 'structured';
    for (const [name, args] of [
      ['initialize_project', {}],
      ['add_task', { title: 'Brew', description: 'Tea.' }],
      ['get_tasks', {}],
      ['next_task', {}],
      ['set_task_status', { id: '1', status: 'done' }],
      ['complexity_report', {}],
      ['list_tags', {}],
    ] as const) {
      const result = await client.callTool({ name, arguments: { projectRoot, ...args } });
      expect([name, result.isError ?? false]).toEqual([name, false]);
      expect(result.structuredContent).toBeInstanceOf(Object);
      const blocks = result.content as AnyJson[];
      const [sentence, ...rest] = blocks.filter(({ type }) => type !== 'resource_link');
      expect(sentence).toEqual({ type: 'text', text: expect.stringMatching(/\S/) });
      expect(rest, 'an outline of the data').toHaveLength(1);
      expect(rest[0].text).not.toContain('{');
    }
  });

  test('initialize_project returns data, with a sentence instead of a prompt [results-are-data]', async () => {
    const args = { projectRoot: 'tea', name: 'Tea', requirements: 'Three teas.', techStack: 'Kettle' };
    const { content, structuredContent } = await client.callTool({
      name: 'initialize_project',
      arguments: args,
    });
    expect(structuredContent).toEqual({
      operation: 'initialize_project',
      workspace: { id: 'tea', path: 'tea', name: 'Tea', created_at: expect.stringMatching(/Z$/) },
      tasks_created: [],
      rules_applied: [],
      setup_complete: true,
      next_steps: expect.any(Array),
    });
    expect((content as AnyJson[])[0].text).toBe("Project 'Tea' is ready.");
  });

  test('tasks_created are the tasks that the call added, as get_tasks has them [init-shape]', async () => {
    const project = { projectRoot: 'begun' };
    const tasks = [{ title: 'Kettle', description: 'Buy one.' }];
    const init = (more: object) => callTool(client, 'initialize_project', { ...project, tasks, ...more });
    const { tasks_created: added } = await init({});
    const { tasks: kept } = await callTool(client, 'get_tasks', project);
    expect(added).toEqual(kept.map(({ id, title, status }: AnyJson) => ({ id, title, status })));
    expect(added).toEqual([{ id: 1, title: 'Kettle', status: 'pending' }]);
    expect((await init({})).tasks_created).toEqual([]);
    for (const bad of [{ tasks: 'Kettle' }, { tasks: [{ title: 'x' }] }, { tasks: [{ ...tasks[0], id: 7 }] }])
      expect((await init(bad)).error).toMatchObject({ code: 'invalid_arguments' });
  });

  test('REST gives the data of a call as MCP does: the task, its result and the project [rest-as-mcp]', async () => {
    const args = { prd: 'Tea.', numTasks: 1, projectRoot: 'alike' };
    const asked = await callTool(client, 'parse_prd', args);
    const rest = async (path: string, body?: object) => {
      const headers = { authorization: `Bearer ${baton.apiKey}`, 'content-type': 'application/json' };
      const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${new URL(baton.url()).origin}/v1/${path}`, { headers, ...request });
      return (await response.json()) as AnyJson;
    };
    const data = { tasks: [{ id: 1, title: 'Kettle', description: 'Boil.' }] };
    const answer = { agentLLMResponse: successAnswer(data), waitMs: 20_000 };
    const { outcome } = await rest(`interactions/${asked.interactionId}/answer`, answer);
    const { taskId } = asked;
    const status = await callTool(client, 'task_status', { taskId });
    expect([outcome.result, (await rest(`tasks/${taskId}`)).result]).toEqual([status.result, status.result]);
    const { tasks } = await callTool(client, 'get_tasks', { projectRoot: 'alike' });
    const { task } = await callTool(client, 'get_task', { projectRoot: 'alike', id: '1' });
    const file = await rest('projects/alike');
    expect(file.master.tasks).toEqual([task]);
    expect(tasks.map(({ id }: AnyJson) => id)).toEqual([1]);
  });

  test("the texts for people know each tool that has one, and seed 5's own example [prompt-texts]", async () => {
    const texts = await client.listResources();
    const context = await callTool(client, 'initialize_project', { projectRoot: 'told', name: 'Told' });
    const { prompt } = await callTool(client, 'generate_prompt', { operation: 'init-success', context });
    expect(prompt).toContain("Project 'Told' is ready.");
    expect(prompt).toContain('parse_prd turns a requirements document into tasks');
    const { contents } = await client.readResource({ uri: 'baton://prompts/init-success' });
    expect((contents[0] as AnyJson).text).toContain('# Start a project (`initialize_project`)');
    for (const name of ['set_task_status', 'copy_tag', 'ask_assistant', 'classify', 'expand_task']) {
      expect((await callTool(client, 'generate_prompt', { operation: name })).prompt).toMatch(/^# /);
      expect(texts.resources.map(({ uri }) => uri)).toContain(`baton://prompts/${name}`);
    }
  });

  test('each tool has a category and its confirmation under _meta, in step with its hints [tool-annotations, tool-metadata]', async () => {
    const { tools } = await client.listTools();
    for (const { name, annotations, execution, _meta } of tools as AnyJson[]) {
      expect([name, _meta['baton/category']]).toEqual([name, expect.stringMatching(/^[a-z]+(-[a-z]+)?$/)]);
      expect([name, _meta['baton/requiresConfirmation']]).toEqual([name, annotations.destructiveHint]);
      expect([name, _meta['baton/delegates']]).toEqual([name, execution.taskSupport === 'optional']);
    }
    const of = (name: string) => tools.find((tool) => tool.name === name)?._meta;
    const long = tools.filter(({ _meta }) => _meta?.['anthropic/maxResultSizeChars'] === 500_000);
    const names = long.map(({ name }) => name);
    const mayDelegate = (tools as AnyJson[]).filter(({ _meta }) => _meta['baton/delegates']);
    expect(names).toEqual(expect.arrayContaining(mayDelegate.map(({ name }) => name)));
    for (const name of ['agent_llm', 'pending_interactions', 'task_status', 'get_tasks', 'get_task'])
      expect(names).toContain(name);
    expect(of('set_task_status')).not.toHaveProperty('anthropic/maxResultSizeChars');
    expect(of('initialize_project')).toMatchObject({ 'baton/category': 'project-management' });
    expect(of('delete_project')).toMatchObject({ 'baton/requiresConfirmation': true });
  });

  test('a completed operation returns data without its prompt [results-are-data, prompts-apart, work-apart-from-texts]', async () => {
    const asked = await callTool(client, 'parse_prd', {
      prd: 'Three teas.',
      numTasks: 1,
      projectRoot: 'parsed',
    });
    const prompt = asked.llmRequestForAgent.messages[0].content as string;
    const data = { tasks: [{ id: 1, title: 'Kettle', description: 'Boil.' }] };
    const args = { interactionId: asked.interactionId, agentLLMResponse: successAnswer(data) };
    const { outcome } = await callTool(client, 'agent_llm', args);
    expect(outcome.result).toMatchObject({ operation: 'parse_prd', tasksAdded: 1, taskIds: [1] });
    expect(JSON.stringify(outcome)).not.toContain(JSON.stringify(prompt.slice(0, 80)).slice(1, -1));
  });

  test('an unknown tool is a protocol error [tool-unknown]', async () => {
    const { error, result } = await rpc('tools/call', { name: 'invalid_tool_name', arguments: {} });
    expect([result, error]).toEqual([
      undefined,
      { code: -32602, message: 'Unknown tool: invalid_tool_name' },
    ]);
  });

  test('an unknown tool is told the one that was most likely meant', async () => {
    const { error } = await rpc('tools/call', { name: 'set_task_statuss', arguments: {} });
    expect(error.message).toBe("Unknown tool: set_task_statuss. Did you mean 'set_task_status'?");
  });

  test('a value that may not be given is named, a secret never', async () => {
    const wrong = await callTool(client, 'scope_up_task', { id: '1', strength: 'wild' });
    expect(wrong.error.message).toMatch(/^strength: .*"light".* \(given: "wild"\)$/);
  });

  // What has no text throws where it is made text.
  test.each([{ toString: 1 }, [{ toString: 1 }]])(
    'a tool or a method named %j is refused by 400',
    async (name) => {
      const refused = (body: object) =>
        postJsonRpc(baton.url(), baton.apiKey, { jsonrpc: '2.0', id: 1, ...body });
      const ofMethod = await refused({ method: name, params: {} });
      expect([ofMethod.status, ofMethod.body.error.code]).toEqual([400, -32600]);
      const ofTool = await refused({ method: 'tools/call', params: { name, arguments: {} } });
      expect([ofTool.status, ofTool.body.error.code]).toEqual([200, -32602]);
    },
  );

  test.each([
    ['get_tasks', { projectRoot: 'nowhere' }, 'project_not_found'],
    ['get_task', { id: {} }, 'invalid_arguments'],
    ['add_task', { prompt: 'x', dependencies: [{ toString: 1 }] }, 'invalid_arguments'],
    ['task_status', { taskId: 'x' }, 'task_not_found'],
  ])(
    'an error in %s of %j is a result with isError, which a model can read [tool-error, tool-request]',
    async (name, args, code) => {
      const result = await client.callTool({ name, arguments: args });
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining(code) }],
        structuredContent: { error: { code, message: expect.any(String) } },
      });
    },
  );
});
