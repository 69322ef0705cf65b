import { ALL_SCRIPTS } from '@baton/store/testing/all-scripts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import { ProviderFixture } from './provider-fixture.ts';

let fixture: ProviderFixture;
beforeAll(async () => {
  fixture = await ProviderFixture.start({ gateways: 1, workers: 1, limits: { answerBytes: 4_000 } });
  await fixture.putRole('main', { routes: [fixture.route()] });
});
afterAll(() => fixture?.stop());

test('however fast an endpoint writes, its words cost at most five calls of Redis a second', async () => {
  const text = 'word  '.repeat(400);
  fixture.llm.behaviour = () => ({ do: 'say', text, everyMs: 4 });
  const monitor = await RedisMonitor.open(fixture.baton.redisUrl);
  const [sha = ''] = [...ALL_SCRIPTS].find(([, { name }]) => name === 'provider/append_call_chunk') ?? [];
  const delegatedCallDetails = {
    originalCommand: 'story',
    serviceType: 'streamText',
    requestParameters: { messages: [{ role: 'user', content: 'fast' }] },
  };
  const call = { delegatedCallDetails };
  const began = performance.now();
  expect((await callTool(fixture.client, 'agent_llm', call)).response).toBe(text);
  const seconds = (performance.now() - began) / 1_000;
  const chunks = (await monitor.commands()).filter((command) => command.includes(sha));
  monitor.close();
  console.log(`${chunks.length} chunks of 400 pieces in ${seconds.toFixed(1)} s`);
  expect(chunks.length).toBeGreaterThan(2);
  expect(chunks.length).toBeLessThanOrEqual(seconds * 5 + 1);
});
