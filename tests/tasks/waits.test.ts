import { parseApiKey } from '@baton/protocol';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Call } from '../../apps/gateway/src/call/call.ts';
import { CallAbortSignal } from '../../apps/gateway/src/call/call-abort-signal.ts';
import { StreamPositions } from '../../apps/gateway/src/mcp/v2025/task-stream/stream-positions.ts';
import { streamTaskResult } from '../../apps/gateway/src/mcp/v2025/task-stream/run-on-stream.ts';
import { ResultWaits } from '../../apps/gateway/src/tasks/result-waits.ts';
import { type AnyJson, callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import type { BatonProcess } from '../processes/baton-process.ts';
import { startGatewayBeside } from '../processes/gateway-beside.ts';
import { RoundRobinProxy } from '../proxies/round-robin-proxy.ts';
import { RELATED_TASK, TaskFixture } from './task-fixture.ts';

/** `tasks/result` waits for the end of a task, wherever that comes, and whatever becomes of its replica. */
let fixture: TaskFixture;
const processes: BatonProcess[] = [];
beforeAll(async () => {
  fixture = await TaskFixture.start();
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop('SIGKILL')));
  await fixture?.stop();
});

/** A gateway in a process of its own, beside those of the fixture. */
async function startGateway(): Promise<BatonProcess> {
  const started = await startGatewayBeside(fixture.baton);
  processes.push(started);
  return started;
}

test('a wait goes on while its task asks again and again, on another replica than the answers, and costs nothing meanwhile [tasks-result]', async () => {
  const { taskId, interactionId } = await fixture.echo('y'.repeat(1_500));
  const held = [0, 1, 1].map((at) =>
    fixture.clients[at]!.experimental.tasks.getTaskResult(taskId, CallToolResultSchema),
  );
  await fixture.held(taskId, 2);
  const monitor = await RedisMonitor.open(fixture.baton.redisUrl, { scripts: true });
  // An answer that does not fit is asked for again, in a new request.
  let asked = interactionId;
  for (let attempt = 1; attempt <= 2; attempt++) {
    const agentLLMResponse = successAnswer({ object: { wrong: attempt } });
    const answer = { interactionId: asked, agentLLMResponse };
    const { outcome } = await callTool(fixture.clients[0], 'agent_llm', answer);
    expect(outcome.pending.attempt).toBe(attempt + 1);
    asked = outcome.pending.interactionId;
  }
  await fixture.answer(asked, 'at last');
  const results = await Promise.all(held);
  const reads = (await monitor.commands()).filter((command) =>
    /"hmget" "[^"]*:task:[^"]*" "st" "pr" "op"/i.test(command),
  );
  monitor.close();
  // The next request comes with the notice that the task waits again.
  expect(reads).toEqual([]);
  for (const result of results) {
    expect(result.structuredContent).toMatchObject({ value: 'at last', taskId });
    expect(result._meta).toEqual({ [RELATED_TASK]: { taskId } });
  }
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a wait whose replica ends by %s goes on at another one, and gives the result [tasks-result]',
  async (signal) => {
    const { taskId, interactionId } = await fixture.echo(signal);
    const doomed = await startGateway();
    const targets = [doomed.url];
    const proxy = await RoundRobinProxy.start(() => targets);
    const client = await connectMcpClient(proxy.url, fixture.key);
    let waited: Promise<AnyJson> = Promise.resolve();
    // By an event's id its client finds the stream again.
    await new Promise<string>((onresumptiontoken) => {
      const options = { onresumptiontoken };
      waited = client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema, options);
    });
    targets[0] = fixture.baton.url(1);
    await doomed.stop(signal);
    await fixture.held(taskId, 2);
    await fixture.answer(interactionId, 'found');
    expect((await waited).structuredContent).toMatchObject({ value: 'found' });
    await client.close();
    await proxy.stop();
  },
);

test('waits of many calls for one task, on both replicas, end together with the same result [tasks-result]', async () => {
  const { taskId, interactionId } = await fixture.echo('many');
  const held = Array.from({ length: 40 }, (_, n) =>
    fixture.result('tasks/result', { taskId }, { at: n % 2 }),
  );
  await fixture.held(taskId, 2);
  await fixture.answer(interactionId, 'all');
  const results = new Set((await Promise.all(held)).map((one) => JSON.stringify(one)));
  expect([...results]).toEqual([expect.stringContaining('"value":"all"')]);
});

test('a wait for a task of a workflow ends when that is cancelled', async () => {
  const taskId = await fixture.workflowTask();
  const held = fixture.result('tasks/result', { taskId }, { at: 1 });
  await fixture.held(taskId);
  await fixture.result('tasks/cancel', { taskId });
  expect(await held).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 'task_cancelled' } },
  });
});

test('a wait for a task that reaches its deadline ends with that', async () => {
  const short = await TaskFixture.start({ lifetimes: { task: 1_500, interaction: 60_000 } });
  try {
    const taskId = await short.workflowTask();
    expect(await short.result('tasks/result', { taskId }, { at: 1 })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'task_expired' } },
    });
    expect(await short.result('tasks/get', { taskId })).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(/^task_expired: /),
    });
  } finally {
    await short.stop();
  }
});

test('no wait lasts longer than it may, and its task goes on', async () => {
  const { taskId, interactionId } = await fixture.echo('long');
  const { store } = fixture.baton;
  const tenant = store.tenant('acme');
  const key = parseApiKey(fixture.key)!;
  const streams = { positions: new StreamPositions(store), waits: new ResultWaits(), holdMs: 50 };
  const wait = () => {
    const signal = new CallAbortSignal();
    const services = { store, operations: new Map() };
    const call = { services, tenant, caller: tenant.caller(key, 0), signal: () => signal };
    return streamTaskResult(streams, 1, { taskId }, call as unknown as Call);
  };
  const refused = await wait().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'task_unfinished', details: { status: 'input_required' } });
  await fixture.answer(interactionId, 'later');
  expect(JSON.parse((await wait()) ?? '')).toMatchObject({ structuredContent: { value: 'later' } });
});

test('a wait costs Redis one read, and none while nothing happens', async () => {
  const { taskId, interactionId } = await fixture.echo('cheap');
  const monitor = await RedisMonitor.open(fixture.baton.redisUrl);
  const reads = async () =>
    (await monitor.commands()).filter((command) => /"EVAL/i.test(command) && command.includes(':task:'));
  const held = fixture.result('tasks/result', { taskId }, { at: 1 });
  await fixture.held(taskId);
  expect((await reads()).length).toBe(1);
  await fixture.answer(interactionId, 'x');
  await held;
  monitor.close();
});
