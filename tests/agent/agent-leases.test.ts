import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { successAnswer, callTool } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { DelayingProxy } from '../tcp-proxies/delaying-proxy.ts';
import { isEvent, eventKinds, AgentFixture } from './agent-fixture.ts';

/** What an agent holds, for how long, and what it leaves to others. */
let place: AgentFixture;
let monitor: RedisMonitor;
beforeAll(async () => {
  place = await AgentFixture.start();
  monitor = await RedisMonitor.open(place.baton.redisUrl);
});
afterAll(async () => {
  monitor.close();
  await place.stop();
});
afterEach(() => {
  place.llm.behaviour = () => VALID_ANSWER;
});

/** What anyone could claim now, for an instant. */
const claimable = async (): Promise<string[]> => {
  const { queries, claims } = place.baton.store.tenant('acme');
  const anyone = { principal: 'anyone', scopes: new Set(['agent'] as const) };
  const { items } = await queries.pending(anyone, { claim: { max: 50, leaseMs: 1_000 } });
  for (const { interactionId } of items) await claims.claim(anyone, interactionId, { leaseMs: 0 });
  return items.map(({ interactionId }) => interactionId);
};

describe('a lease', () => {
  test('is renewed while the LLM takes longer than it, and nobody else asks meanwhile', async () => {
    place.llm.behaviour = () => ({ do: 'say', afterMs: 4_000 });
    const { taskId } = await place.parkEcho('takes its time');
    const [agent, idle] = [place.startAgent({ leaseMs: 1_000 }), place.startAgent({ leaseMs: 1_000 })];
    await place.waitForEnd(taskId);
    await Promise.all([agent.stop(), idle.stop()]);
    expect(place.llm.countCalls('takes its time')).toBe(1);
    expect([...eventKinds(agent.events), ...eventKinds(idle.events)].sort()).toEqual([
      'answered',
      'claimed',
      'stopping',
      'stopping',
    ]);
  });

  test('of what somebody else answered ends the LLM call early', async () => {
    place.llm.behaviour = () => ({ do: 'hang' });
    const { taskId, interactionId } = await place.parkEcho('answered elsewhere');
    const agent = place.startAgent({ leaseMs: 1_000 });
    await agent.waitFor(isEvent('claimed', 'answered elsewhere'));
    const agentLLMResponse = successAnswer({ value: 'by hand' });
    await callTool(place.client, 'agent_llm', { interactionId, agentLLMResponse });
    const end = await agent.waitFor(isEvent('superseded', 'answered elsewhere'));
    expect(end).toMatchObject({ code: 'interaction_already_answered' });
    expect((end as { tookMs: number }).tookMs).toBeLessThan(10_000);
    expect(await place.waitForOutcome(taskId)).toMatchObject({ result: { value: 'by hand' } });
    await agent.stop();
  });

  test('is given back by an agent that is stopped, at once and not when it is over', async () => {
    place.llm.behaviour = () => ({ do: 'hang' });
    const { taskId, interactionId } = await place.parkEcho('given back');
    const agent = place.startAgent({ leaseMs: 600_000 });
    await agent.waitFor(isEvent('claimed', 'given back'));
    expect(await claimable()).toEqual([]);
    expect(await agent.stop(0)).toMatchObject({ abandoned: 1 });
    expect(await claimable()).toEqual([interactionId]);
    await place.cancelTask(taskId);
  });

  test('is given back for good by an agent whose renewal is still on its way', async () => {
    place.llm.behaviour = () => ({ do: 'hang' });
    const door = await DelayingProxy.inFrontOf(place.baton.url(0));
    const { taskId, interactionId } = await place.parkEcho('renewed late');
    const agent = place.startAgent({ url: `${door.url}/mcp`, leaseMs: 4_000 });
    const renewal = door.holdNext('asked', /"interactionId":.*"leaseMs":4000/);
    await renewal;
    const stopped = agent.stop(0);
    // Whoever does not wait for its renewal has ended by then.
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 500))]);
    const from = monitor.commands.length;
    door.release();
    expect(await stopped).toMatchObject({ abandoned: 1 });
    const isClaim = (command: string) => command.includes(':t:acme:holders') && command.includes('" "4000"');
    await expect.poll(() => monitor.commands.slice(from).some(isClaim), { timeout: 5_000 }).toBe(true);
    expect(await claimable()).toEqual([interactionId]);
    await place.cancelTask(taskId);
    await door.close();
  });

  test('that was given while the agent stopped to look is given back, though it never heard of it', async () => {
    const door = await DelayingProxy.inFrontOf(place.baton.url(0));
    const agent = place.startAgent({ url: `${door.url}/mcp`, leaseMs: 600_000 });
    const reply = door.holdNext('answered', /given in vain/);
    const { taskId, interactionId } = await place.parkEcho('given in vain');
    await reply;
    expect(await claimable()).toEqual([]);
    await agent.stop();
    expect(eventKinds(agent.events)).toEqual(['stopping']);
    expect(await claimable()).toEqual([interactionId]);
    await place.cancelTask(taskId);
    await door.close();
  });

  test('is given back when the LLM key is refused, and when the endpoint wants to be left alone for longer', async () => {
    const { interactionId, taskId } = await place.parkEcho('refused');
    place.llm.behaviour = () => ({ do: 'refuse', status: 401 });
    await expect(place.startAgent({ leaseMs: 600_000 }).done).rejects.toThrow();
    expect(await claimable()).toEqual([interactionId]);
    await place.cancelTask(taskId);

    place.llm.behaviour = () => ({ do: 'refuse', status: 429, headers: { 'retry-after': '300' } });
    const tasks = [await place.parkEcho('limited 1'), await place.parkEcho('limited 2')];
    const agent = place.startAgent({ leaseMs: 6_000, concurrency: 1, tries: 2 });
    await agent.waitFor(isEvent('failed'));
    await agent.stop();
    expect((await claimable()).length).toBeGreaterThanOrEqual(1);
    for (const task of tasks) await place.cancelTask(task.taskId);
  });
});

describe('an agent', () => {
  test('that waits for work asks neither Baton nor Redis for it, and begins at once when there is some', async () => {
    const agent = place.startAgent();
    await place.parkEcho('to warm up');
    await agent.waitFor(isEvent('answered', 'to warm up'));
    // Its wait has begun when Redis has been asked for what is pending once more.
    const isLook = (command: string) => command.includes(':t:acme:holders');
    const looks = () => monitor.commands.filter(isLook).length;
    const before = looks();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(looks() - before).toBeLessThanOrEqual(1);
    const begun = performance.now();
    await place.parkEcho('comes late');
    await agent.waitFor(isEvent('answered', 'comes late'));
    expect(performance.now() - begun, 'no interval is waited for').toBeLessThan(10_000);
    await agent.stop();
  });

  test('that waits for work and is stopped leaves what comes then to others', async () => {
    const agent = place.startAgent({ leaseMs: 600_000 });
    await place.parkEcho('before the stop');
    await agent.waitFor(isEvent('answered', 'before the stop'));
    await agent.stop();
    const { interactionId, taskId } = await place.parkEcho('after the stop');
    expect(await claimable()).toEqual([interactionId]);
    await place.cancelTask(taskId);
  });

  test('for one role or operation answers what is of it, and holds nothing else', async () => {
    const main = await place.parkEcho('for main');
    const research = await place.delegate('generateText', {
      messages: [{ role: 'user', content: 'for research' }],
    });
    await place.answerAll({ role: 'research' });
    expect(await place.waitForOutcome(research.taskId)).toMatchObject({ status: 'completed' });
    await place.answerAll({ operation: 'parse_prd' });
    expect(await claimable()).toEqual([main.interactionId]);
    await place.answerAll({ operation: 'bench_echo', role: 'main' });
    expect(await place.waitForOutcome(main.taskId)).toMatchObject({ status: 'completed' });
  });
});
