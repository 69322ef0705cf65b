import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyJson, callTool, callToolForError } from '../harness/mcp-client.ts';
import { RELATED_TASK, TaskFixture } from './task-fixture.ts';

/** MCP tasks (2025-11-25, basic/utilities/tasks) over the wire, with the official client and without it, on two replicas. */
describe('tasks', () => {
  let fixture: TaskFixture;
  beforeAll(async () => {
    fixture = await TaskFixture.start({});
  });
  afterAll(() => fixture?.stop());

  const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
  const DAY = 86_400_000;

  test('tasks are declared to clients of 2025-11-25 and to no others [tasks-capability]', async () => {
    const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    expect(fixture.clients[0].getServerCapabilities()?.tasks).toEqual(tasks);
    const declared = async (protocolVersion: string) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const { capabilities } = await fixture.result('initialize', params);
      return capabilities.tasks;
    };
    for (const version of ['2025-06-18', '2025-03-26', '2024-11-05'])
      expect([version, await declared(version)]).toEqual([version, undefined]);
    // A revision that is not known here is answered with the newest that is.
    for (const version of ['2025-11-25', '2099-01-01'])
      expect([version, await declared(version)]).toEqual([version, tasks]);
  });

  test('operations may be called as tasks, and no other tool may [tasks-tool-support]', async () => {
    const { tools } = await fixture.result('tools/list');
    const supporting = tools.filter(({ execution }: AnyJson) => execution.taskSupport === 'optional');
    const names = supporting.map(({ name }: AnyJson) => name);
    for (const name of ['parse_prd', 'expand_task', 'expand_all', 'update', 'add_task', 'bench_echo'])
      expect(names).toContain(name);
    for (const { name, execution } of tools)
      expect([name, execution.taskSupport]).toEqual([name, names.includes(name) ? 'optional' : 'forbidden']);
    for (const name of ['get_tasks', 'agent_llm', 'task_status']) {
      const { code, message } = await fixture.error('tools/call', { name, arguments: {}, task: {} });
      expect([name, code, message.includes(name)]).toEqual([name, -32601, true]);
    }
    expect((await fixture.error('tools/call', { name: 'nothing', task: {} })).code).toBe(-32602);
  });

  test('a call with a task is answered at once with one that works, and its result is what the call would have returned [tasks-create, tasks-result]', async () => {
    const { task, _meta } = await fixture.result('tools/call', {
      name: 'bench_echo',
      arguments: { text: 'tea' },
      task: { ttl: 60_000 },
    });
    expect(task).toEqual({
      taskId: expect.stringMatching(/0000$/),
      status: 'working',
      createdAt: expect.stringMatching(ISO),
      lastUpdatedAt: task.createdAt,
      ttl: 2 * DAY,
      pollInterval: 1_000,
    });
    expect(_meta['io.modelcontextprotocol/model-immediate-response']).toContain(task.taskId);
    const { taskId } = task;
    const interactionId = await fixture.pendingOf(taskId);
    const waiting = await fixture.result('tasks/get', { taskId });
    expect(waiting).toMatchObject({
      taskId,
      status: 'input_required',
      ttl: 2 * DAY,
      pollInterval: 5_000,
      statusMessage: expect.stringContaining('agent_llm'),
    });
    const held = fixture.result('tasks/result', { taskId }, { at: 1 });
    await fixture.held(taskId);
    const { outcome } = await fixture.answer(interactionId, 'green');
    const expected = {
      ...outcome.result,
      value: 'green',
      status: 'completed',
      operation: 'bench_echo',
      taskId,
    };
    expect(await held).toEqual({
      content: [
        { type: 'text', text: 'Echo: green' },
        { type: 'text', text: expect.stringMatching(/value.*green/) },
      ],
      structuredContent: expected,
      _meta: { [RELATED_TASK]: { taskId } },
    });
    const ended = await fixture.result('tasks/get', { taskId }, { at: 1 });
    expect(ended).toEqual({
      taskId,
      status: 'completed',
      createdAt: task.createdAt,
      lastUpdatedAt: expect.stringMatching(ISO),
      ttl: Date.parse(ended.lastUpdatedAt) - Date.parse(ended.createdAt) + DAY,
    });
    expect(Date.parse(ended.lastUpdatedAt)).toBeGreaterThan(Date.parse(ended.createdAt));
  });

  test("the official client's stream of a task ends with its result, and its tool's schema holds [tasks-create]", async () => {
    const stream = fixture.clients[0].experimental.tasks.callToolStream(
      { name: 'bench_echo', arguments: { text: 'stream' } },
      CallToolResultSchema,
      { task: { ttl: 1 } },
    );
    const told: AnyJson[] = [];
    for await (const message of stream) {
      told.push(message);
      // The client asks for the result as soon as something is required of it, and waits.
      if (message.type === 'taskStatus' && message.task.status === 'input_required')
        void fixture.held(message.task.taskId).then(async () => {
          const { taskId } = message.task;
          await fixture.answer(await fixture.pendingOf(taskId), 'streamed', { at: 1 });
        });
    }
    expect(told[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working' } });
    expect(told.at(-1)).toMatchObject({
      type: 'result',
      result: { structuredContent: { value: 'streamed' }, _meta: { [RELATED_TASK]: expect.anything() } },
    });
  });

  test('a task that was asked for in a revision without tasks, or in none, is ignored [tasks-undeclared]', async () => {
    const params = { name: 'bench_echo', arguments: { text: 'x' }, task: {} };
    for (const version of ['2025-06-18', '']) {
      const headers = { 'mcp-protocol-version': version };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const response = await fetch(`${fixture.baton.url()}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${fixture.key}`,
          'content-type': 'application/json',
          ...(version === '' ? {} : headers),
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      expect([version, text.includes('pending_agent_llm_action')]).toEqual([version, true]);
    }
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    const session = (await fixture.rpc('initialize', initialize)).headers.get('mcp-session-id') ?? '';
    // What was negotiated counts, whatever a later header says.
    const result = await fixture.result('tools/call', params, { headers: { 'mcp-session-id': session } });
    expect(result.structuredContent.status).toBe('pending_agent_llm_action');
  });

  test('arguments that do not fit are an error of the protocol for a call with a task, and start none [tasks-create]', async () => {
    const before = (await fixture.result('tasks/list')).tasks.length;
    const { code, data } = await fixture.error('tools/call', {
      name: 'bench_echo',
      arguments: { text: 7 },
      task: {},
    });
    expect([code, data.code, data.field]).toEqual([-32602, 'invalid_arguments', 'text']);
    for (const task of ['x', 7, [], { ttl: 'soon' }]) {
      const wrong = { name: 'bench_echo', arguments: { text: 'x' }, task };
      const error = await fixture.error('tools/call', wrong);
      expect([task, error.code, error.message.includes('params.task')]).toEqual([task, -32602, true]);
    }
    expect((await fixture.result('tasks/list')).tasks.length).toBe(before);
  });

  test('the same idempotency key gives the same task, called as one or not [tasks-create]', async () => {
    const key = 'k';
    const params = {
      name: 'bench_echo',
      arguments: { text: 'once' },
      _meta: { 'baton/idempotencyKey': key },
    };
    const { task } = await fixture.result('tools/call', { ...params, task: {} });
    const interactionId = await fixture.pendingOf(task.taskId);
    const plain = await fixture.result('tools/call', params, { at: 1 });
    expect(plain.structuredContent).toMatchObject({ taskId: task.taskId, interactionId });
    const again = await fixture.result('tools/call', { ...params, task: {} }, { at: 1 });
    expect(again.task).toMatchObject({ taskId: task.taskId, status: 'input_required' });
    const other = { ...params, arguments: { text: 'twice' }, task: {} };
    expect((await fixture.error('tools/call', other)).data.code).toBe('idempotency_conflict');
  });

  test('an operation that fails is a failed task, and its result is the error of the call [tasks-status]', async () => {
    const { taskId, interactionId } = await fixture.echo('fail');
    const agentLLMResponse = { status: 'error', errorDetails: { message: 'no', type: 'refused' } };
    await callTool(fixture.clients[0], 'agent_llm', { interactionId, agentLLMResponse });
    const task = await fixture.result('tasks/get', { taskId });
    expect(task).toMatchObject({ status: 'failed', statusMessage: expect.stringMatching(/^agent_error: /) });
    const result = await fixture.result('tasks/result', { taskId }, { at: 1 });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: task.statusMessage }],
      structuredContent: { error: { code: 'agent_error' } },
      _meta: { [RELATED_TASK]: { taskId } },
    });
  });

  test('tasks/cancel ends a task before it replies, and its result says so; a second one is refused with its end [tasks-cancel]', async () => {
    const { taskId } = await fixture.echo('cancel');
    const cancelled = await fixture.clients[1].experimental.tasks.cancelTask(taskId);
    expect(cancelled).toMatchObject({ taskId, status: 'cancelled', ttl: expect.any(Number) });
    expect(cancelled).not.toHaveProperty('_meta');
    const { code, message, data } = await fixture.error('tasks/cancel', { taskId });
    expect([code, data.code, data.status]).toEqual([-32602, 'task_ended', 'cancelled']);
    expect(message).toContain('cancelled');
    const result = await fixture.result('tasks/result', { taskId });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'task_cancelled' } } });
  });

  test("a workflow's task is completed by tasks/cancel with a result, and by complete_task [tasks-complete]", async () => {
    const completions: Record<string, (taskId: string, result: object) => Promise<AnyJson>> = {
      'tasks/cancel': (taskId, result) => fixture.result('tasks/cancel', { taskId, result }, { at: 1 }),
      complete_task: (taskId, result) => callTool(fixture.clients[1], 'complete_task', { taskId, result }),
    };
    for (const [name, complete] of Object.entries(completions)) {
      const taskId = await fixture.workflowTask();
      const open = await fixture.result('tasks/get', { taskId });
      expect(open).toMatchObject({
        status: 'working',
        statusMessage: expect.stringContaining('complete_task'),
      });
      const held = fixture.result('tasks/result', { taskId });
      await fixture.held(taskId);
      const result = { summary: `by ${name}`, 'odd "\u2028 key': [1, null, { a: '\u0000é' }] };
      expect(await complete(taskId, result)).toMatchObject({ taskId, status: 'completed' });
      expect(await held).toEqual({
        content: [
          { type: 'text', text: `Task ${taskId} is completed.` },
          { type: 'text', text: expect.stringContaining(`by ${name}`) },
        ],
        structuredContent: result,
        _meta: { [RELATED_TASK]: { taskId } },
      });
      const status = await callTool(fixture.clients[0], 'task_status', { taskId });
      expect(status).toMatchObject({ status: 'completed', result });
      const { code, data } = await fixture.error('tasks/cancel', { taskId, result: {} });
      expect([code, data.code, data.status]).toEqual([-32602, 'task_ended', 'completed']);
      const refused = await callToolForError(fixture.clients[0], 'complete_task', { taskId, result: {} });
      expect(refused).toMatchObject({ code: 'task_ended', status: 'completed', taskId });
    }
  });

  test("an operation's task is not completed by its client [tasks-complete]", async () => {
    const { taskId } = await fixture.echo('mine');
    const { code, data } = await fixture.error('tasks/cancel', { taskId, result: { value: 'forged' } });
    expect([code, data.code, data.operation]).toEqual([-32602, 'task_not_workflow', 'bench_echo']);
    const refused = await callToolForError(fixture.clients[0], 'complete_task', { taskId, result: {} });
    expect(refused).toMatchObject({ code: 'task_not_workflow', operation: 'bench_echo', taskId });
    expect(await fixture.result('tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
  });

  test('a related task in the request is never what counts, and replies that name their task repeat it nowhere [tasks-related]', async () => {
    const [{ taskId }, other] = [await fixture.echo('a'), await fixture.echo('b')];
    const _meta = { [RELATED_TASK]: { taskId: other.taskId } };
    const got = await fixture.result('tasks/get', { taskId, _meta });
    expect([got.taskId, got._meta]).toEqual([taskId, undefined]);
    await fixture.result('tasks/cancel', { taskId, _meta });
    expect(await fixture.result('tasks/get', { taskId: other.taskId })).toMatchObject({
      status: 'input_required',
    });
    const { _meta: of } = await fixture.result('tasks/result', { taskId, _meta });
    expect(of).toEqual({ [RELATED_TASK]: { taskId } });
    const list = await fixture.result('tasks/list');
    expect(list).not.toHaveProperty('_meta');
    const ended = await fixture.clients[0].callTool({ name: 'cancel_task', arguments: { taskId } });
    expect([ended.isError, ended._meta]).toEqual([true, { [RELATED_TASK]: { taskId } }]);
  });
});
