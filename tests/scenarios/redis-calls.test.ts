import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerOf, call, connect } from '../harness/client.ts';
import { Deployment } from '../harness/deployment.ts';
import { isOfTheClock, Monitor } from '../harness/monitor.ts';

let baton: Deployment;
let monitor: Monitor;

beforeAll(async () => {
  baton = await Deployment.start({ gateways: 2, workers: 1 });
  monitor = await Monitor.open(baton.redisUrl);
});
afterAll(async () => {
  monitor.close();
  await baton.stop();
});

test('one call at a time costs at most 12 calls to Redis a round trip: park, answer, resume, result', async () => {
  const client = await connect(baton.url(0), baton.apiKey);
  const other = await connect(baton.url(1), baton.apiKey);
  const trip = async () => {
    const { interactionId } = await call(client, 'bench_echo', { text: 'count me' });
    const agentLLMResponse = answerOf({ value: 'x' });
    const { outcome } = await call(other, 'agent_llm', { interactionId, agentLLMResponse });
    expect(outcome.status).toBe('completed');
  };
  await trip();
  const from = monitor.commands.length;
  const trips = 20;
  for (let n = 0; n < trips; n++) await trip();
  const commands = monitor.commands.slice(from);
  const perTrip = commands.filter((command) => !isOfTheClock(command)).length / trips;
  console.log(`Redis calls per round trip: ${perTrip}, with those of the clock: ${commands.length / trips}`);
  expect(perTrip).toBeGreaterThanOrEqual(3);
  expect(perTrip).toBeLessThanOrEqual(12);
});
