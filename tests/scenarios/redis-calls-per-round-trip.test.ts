import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { isPeriodicCommand, RedisMonitor } from '../harness/redis-monitor.ts';

let baton: InProcessDeployment;
let monitor: RedisMonitor;
let client: Client;
let other: Client;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  monitor = await RedisMonitor.open(baton.redisUrl);
  client = await connectMcpClient(baton.url(0), baton.apiKey);
  other = await connectMcpClient(baton.url(1), baton.apiKey);
});
afterAll(async () => {
  monitor.close();
  await baton.stop();
});

/** Parks at one replica, is answered at the other, and ends there. */
async function trip(): Promise<void> {
  const { interactionId } = await callTool(client, 'bench_echo', { text: 'count me' });
  const agentLLMResponse = successAnswer({ value: 'x' });
  const { outcome } = await callTool(other, 'agent_llm', { interactionId, agentLLMResponse });
  expect(outcome.status).toBe('completed');
}

/** The Redis calls of each round trip of `clients` at once, `each` of them one after the other; those of the clock left out. */
async function countCalls(clients: number, each: number): Promise<number> {
  await trip();
  await monitor.caughtUp();
  const from = monitor.commands.length;
  const work = async () => {
    for (let n = 0; n < each; n++) await trip();
  };
  await Promise.all(Array.from({ length: clients }, work));
  await monitor.caughtUp();
  const commands = monitor.commands.slice(from);
  const trips = clients * each;
  const perTrip = commands.filter((command) => !isPeriodicCommand(command)).length / trips;
  console.log(
    `Redis calls per round trip, ${clients} at once: ${perTrip}, with those of the clock: ${commands.length / trips}`,
  );
  return perTrip;
}

test('a round trip (park, answer, resume, result) costs at most 12 Redis calls', async () => {
  // The fewest of several: the slower the machine, the more of a worker's polls come between.
  const perTrip = Math.min(await countCalls(1, 20), await countCalls(1, 20));
  expect(perTrip).toBeGreaterThanOrEqual(3);
  expect(perTrip).toBeLessThanOrEqual(12);
});

test('under load, 16 and more at once, a round trip costs at most four Redis calls', async () => {
  expect(await countCalls(16, 10)).toBeLessThanOrEqual(4);
  expect(await countCalls(64, 4)).toBeLessThanOrEqual(4);
});
