import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool } from '../harness/mcp-client.ts';
import { HoldingProxy } from '../proxies/holding-proxy.ts';
import { AgentFixture, eventMatcher } from './agent-fixture.ts';

let fixture: AgentFixture;
beforeAll(async () => {
  fixture = await AgentFixture.start();
});
afterAll(() => fixture.stop());

test('with once, what is asked behind a claim that found nothing is answered', async () => {
  const proxy = await HoldingProxy.inFrontOf(fixture.baton.url(0));
  try {
    // Eight are asked at once, and the ninth when one of them is answered.
    const { taskId } = await callTool(fixture.client, 'bench_fan', { n: 9 });
    const held = proxy.holdNext('reply', /"interactions":\[\]/);
    const agent = fixture.startAgent({ once: true, concurrency: 9, url: `${proxy.url}/mcp` });
    await held;
    const answered = eventMatcher('answered');
    await agent.waitFor(() => agent.events.filter(answered).length === 8);
    proxy.release();
    await agent.done;
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ status: 'completed' });
  } finally {
    await proxy.close();
  }
});
