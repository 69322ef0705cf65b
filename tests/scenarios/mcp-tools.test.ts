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
describe.each([
  ['the fast path', true],
  ["the SDK's transport", false],
])('tools over %s', (_transport, fastPath) => {
  let baton: InProcessDeployment;
  let client: Client;
  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 1, workers: 1, fastPath });
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

  test('the server declares the tools capability without options that it does not implement [tools-capability]', () => {
    expect(client.getServerCapabilities()?.tools).toEqual({});
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

  test('a result is structured, fits its schema and has a sentence of text [tool-structured]', async () => {
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
      const [sentence, ...rest] = result.content as AnyJson[];
      expect(sentence).toEqual({ type: 'text', text: expect.stringMatching(/\S/) });
      for (const { text } of rest) expect(JSON.parse(text)).toEqual(result.structuredContent);
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

  test('a completed operation returns data without its prompt [results-are-data, prompts-apart]', async () => {
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

  test.each([
    ['get_tasks', { projectRoot: 'nowhere' }, 'project_not_found'],
    ['get_task', { id: {} }, 'invalid_arguments'],
    ['task_status', { taskId: 'x' }, 'task_not_found'],
  ])(
    'an error in %s of %j is a result with isError, which a model can read [tool-error]',
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
