import { afterAll, beforeAll, expect, test } from 'vitest';
import { successAnswer, callTool, connectMcpClient } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { isPeriodicCommand, RedisMonitor } from '../harness/redis-monitor.ts';

let baton: InProcessDeployment;
let monitor: RedisMonitor;

beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  monitor = await RedisMonitor.open(baton.redisUrl);
});
afterAll(async () => {
  monitor.close();
  await baton.stop();
});

test('a round trip (park, answer, resume, result) costs at most 12 Redis calls', async () => {
  const client = await connectMcpClient(baton.url(0), baton.apiKey);
  const other = await connectMcpClient(baton.url(1), baton.apiKey);
  const trip = async () => {
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'count me' });
    const agentLLMResponse = successAnswer({ value: 'x' });
    const { outcome } = await callTool(other, 'agent_llm', { interactionId, agentLLMResponse });
    expect(outcome.status).toBe('completed');
  };
  await trip();
  const from = monitor.commands.length;
  const trips = 20;
  for (let n = 0; n < trips; n++) await trip();
  const commands = monitor.commands.slice(from);
  const perTrip = commands.filter((command) => !isPeriodicCommand(command)).length / trips;
  console.log(`Redis calls per round trip: ${perTrip}, with those of the clock: ${commands.length / trips}`);
  expect(perTrip).toBeGreaterThanOrEqual(3);
  expect(perTrip).toBeLessThanOrEqual(12);
});
