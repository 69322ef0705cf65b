import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, connectMcpClient, successAnswer } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import { tenSteps } from '../workflows/ten-step-workflow.ts';
import { WorkflowFixture } from '../workflows/workflow-fixture.ts';

/** What delegations and workflows may cost in calls of Redis; the costs of `expand_all` are in its own file. */
let fixture: WorkflowFixture;
let monitor: RedisMonitor;
let client: Client;
let other: Client;

beforeAll(async () => {
  fixture = await WorkflowFixture.start({ gateways: 2, workers: 1 });
  monitor = await RedisMonitor.open(fixture.baton.redisUrl);
  client = await connectMcpClient(fixture.baton.url(0), fixture.baton.apiKey);
  other = await connectMcpClient(fixture.baton.url(1), fixture.baton.apiKey);
});
afterAll(async () => {
  monitor.close();
  await fixture.stop();
});

/** Parks at one replica, is answered at the other, and ends there. */
async function trip(): Promise<void> {
  const { interactionId } = await callTool(client, 'bench_echo', { text: 'count me' });
  const agentLLMResponse = successAnswer({ value: 'x' });
  const { outcome } = await callTool(other, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome.status).toBe('completed');
}

/** The calls of each round trip of `clients` at once, `each` of them one after the other. */
async function callsPerTrip(clients: number, each: number): Promise<number> {
  await trip();
  const oneClient = async () => {
    for (let n = 0; n < each; n++) await trip();
  };
  const all = () => Promise.all(Array.from({ length: clients }, oneClient));
  // The slower the machine, the more of a worker's polls come between.
  const perTrip = (await monitor.fewestCalls(2, all)) / (clients * each);
  console.log(`Redis calls per round trip, ${clients} at once: ${perTrip}`);
  return perTrip;
}

test('a round trip (park, answer, resume, result) costs at most 12 Redis calls', async () => {
  const perTrip = await callsPerTrip(1, 20);
  expect(perTrip).toBeGreaterThanOrEqual(3);
  expect(perTrip).toBeLessThanOrEqual(12);
});

test('under load, 16 and more at once, a round trip costs at most four Redis calls', async () => {
  expect(await callsPerTrip(16, 10)).toBeLessThanOrEqual(4);
  expect(await callsPerTrip(64, 4)).toBeLessThanOrEqual(4);
});

test('a call that counts for a workflow costs two Redis calls more than one that does not', async () => {
  const [ann] = fixture.clients;
  await callTool(ann, 'add_task', { title: 'One', description: 'x' });
  await fixture.put('costs', [
    { name: 'missing', tool: 'get_task', arguments: { id: 77 } },
    { name: 'tags', tool: 'list_tags' },
    { name: 'echo', tool: 'bench_echo', arguments: { text: 'a' } },
  ]);
  const { taskId } = await fixture.run('costs');
  const callsOf = async (run: () => Promise<unknown>) => {
    await run();
    return monitor.fewestCalls(10, run);
  };
  for (const [tool, args] of [
    ['list_tags', {}],
    ['next_task', {}],
    ['set_task_status', { id: 1, status: 'pending' }],
  ] as const) {
    const plain = await callsOf(() => callTool(ann, tool, args));
    const continued = await callsOf(() => fixture.continue(taskId, tool, args));
    console.log(`Redis calls of ${tool}: ${plain}, for a workflow ${continued}`);
    expect(continued - plain).toBeLessThanOrEqual(2);
  }
});

test('ten steps over instant tools cost under three Redis calls a step, and fifty cost no more a step', async () => {
  await callTool(fixture.clients[0], 'add_task', { projectRoot: 'p', title: 'Dig', description: 'Dig.' });
  // A worker's polls of its queues would be counted too.
  await fixture.baton.workers[0]?.stop();
  const callsPerStep = async (name: string, steps: readonly object[]) => {
    await fixture.put(name, steps);
    expect((await fixture.run(name)).status).toBe('completed');
    return (await monitor.fewestCalls(3, () => fixture.run(name))) / steps.length;
  };
  const ten = await callsPerStep('ten', tenSteps('p'));
  const reading = (_: unknown, at: number) => ({
    name: `r${at}`,
    tool: 'next_task',
    arguments: { projectRoot: 'p' },
  });
  const fifty = await callsPerStep('fifty', Array.from({ length: 50 }, reading));
  console.log(`Redis calls a step: ${ten} of ten, ${fifty} of fifty`);
  expect(ten).toBeLessThan(3);
  expect(fifty).toBeLessThan(2.5);
});
