import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { successAnswer, callTool } from '../harness/mcp-client.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';
import { VALID_ANSWER } from '../fake-llm/llm-server.ts';
import { HoldingProxy } from '../proxies/holding-proxy.ts';
import { eventMatcher, eventKinds, AgentFixture } from './agent-fixture.ts';

/** Which requests an agent claims, for how long, and when it releases them. */
let fixture: AgentFixture;
let monitor: RedisMonitor;
beforeAll(async () => {
  fixture = await AgentFixture.start();
  monitor = await RedisMonitor.open(fixture.baton.redisUrl);
});
afterAll(async () => {
  monitor.close();
  await fixture.stop();
});
afterEach(() => {
  fixture.llm.behaviour = () => VALID_ANSWER;
});

/** Ids that can be claimed now; the claims are released again. */
const claimable = async (): Promise<string[]> => {
  const { queries, claims } = fixture.baton.store.tenant('acme');
  const anyone = { principal: 'anyone', scopes: new Set(['agent'] as const) };
  const { items } = await queries.pending.records(anyone, { claim: { max: 50, leaseMs: 1_000 } });
  for (const { interactionId } of items) await claims.claim(anyone, interactionId, { leaseMs: 0 });
  return items.map(({ interactionId }) => interactionId);
};

describe('a lease', () => {
  test('is renewed while the LLM call takes longer, so that no second agent calls the LLM', async () => {
    let [answer, firstEnd] = [() => {}, 0];
    const answered = new Promise<void>((resolve) => (answer = resolve));
    fixture.llm.behaviour = () => ({ do: 'say', after: answered });
    const { taskId } = await fixture.parkEcho('takes its time');
    const [agent, idle] = [fixture.startAgent({ leaseMs: 1_000 }), fixture.startAgent({ leaseMs: 1_000 })];
    await expect.poll(async () => ([firstEnd = 0] = await fixture.leaseEnds()).length).toBe(1);
    // The second renewal ends after the whole of the first lease.
    const within = { timeout: 20_000 };
    await expect.poll(async () => (await fixture.leaseEnds())[0], within).toBeGreaterThan(firstEnd + 1_000);
    answer();
    await fixture.waitForEnd(taskId);
    await Promise.all([agent.stop(), idle.stop()]);
    expect(fixture.llm.countCalls('takes its time')).toBe(1);
    expect([...eventKinds(agent.events), ...eventKinds(idle.events)].sort()).toEqual([
      'answered',
      'claimed',
      'stopping',
      'stopping',
    ]);
  });

  test('ends with the LLM call when someone else has answered', async () => {
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const { taskId, interactionId } = await fixture.parkEcho('answered elsewhere');
    const agent = fixture.startAgent({ leaseMs: 1_000 });
    await agent.waitFor(eventMatcher('claimed', 'answered elsewhere'));
    const agentLLMResponse = successAnswer({ value: 'by hand' });
    await callTool(fixture.client, 'agent_llm', { interactionId, agentLLMResponse });
    const end = await agent.waitFor(eventMatcher('superseded', 'answered elsewhere'));
    expect(end).toMatchObject({ code: 'interaction_already_answered' });
    expect(await fixture.waitForOutcome(taskId)).toMatchObject({ result: { value: 'by hand' } });
    await agent.stop();
  });

  test('is released at once by an agent that is stopped', async () => {
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const { taskId, interactionId } = await fixture.parkEcho('given back');
    const agent = fixture.startAgent({ leaseMs: 600_000 });
    await agent.waitFor(eventMatcher('claimed', 'given back'));
    expect(await claimable()).toEqual([]);
    expect(await agent.stop(0)).toMatchObject({ abandoned: 1 });
    expect(await claimable()).toEqual([interactionId]);
    await fixture.cancelTask(taskId);
  });

  test('stays released when an earlier renewal arrives later', async () => {
    fixture.llm.behaviour = () => ({ do: 'hang' });
    const proxy = await HoldingProxy.inFrontOf(fixture.baton.url(0));
    const { taskId, interactionId } = await fixture.parkEcho('renewed late');
    const agent = fixture.startAgent({ url: `${proxy.url}/mcp`, leaseMs: 4_000 });
    const renewal = proxy.holdNext('request', /"interactionId":.*"leaseMs":4000/);
    await renewal;
    const stopped = agent.stop(0);
    // An agent that does not wait for its renewal has stopped by then.
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 500))]);
    const from = (await monitor.commands()).length;
    proxy.release();
    expect(await stopped).toMatchObject({ abandoned: 1 });
    const isClaim = (command: string) => command.includes(':t:acme:holder:') && command.includes('" "4000"');
    await expect
      .poll(async () => (await monitor.commands(from)).some(isClaim), { timeout: 5_000 })
      .toBe(true);
    expect(await claimable()).toEqual([interactionId]);
    await fixture.cancelTask(taskId);
    await proxy.close();
  });

  test('granted to an agent that has stopped waiting is released, although its reply was lost', async () => {
    const proxy = await HoldingProxy.inFrontOf(fixture.baton.url(0));
    const agent = fixture.startAgent({ url: `${proxy.url}/mcp`, leaseMs: 600_000 });
    const reply = proxy.holdNext('reply', /given in vain/);
    const { taskId, interactionId } = await fixture.parkEcho('given in vain');
    await reply;
    expect(await claimable()).toEqual([]);
    await agent.stop();
    expect(eventKinds(agent.events)).toEqual(['stopping']);
    expect(await claimable()).toEqual([interactionId]);
    await fixture.cancelTask(taskId);
    await proxy.close();
  });

  test('is released when the LLM key is refused while a request is worked on', async () => {
    fixture.llm.behaviour = () => {
      fixture.llm.probeBehaviour = () => ({ do: 'refuse', status: 401 });
      return { do: 'refuse', status: 401 };
    };
    const { interactionId, taskId } = await fixture.parkEcho('refused');
    await expect(fixture.startAgent({ leaseMs: 600_000 }).done).rejects.toThrow();
    expect(await claimable()).toEqual([interactionId]);
    await fixture.cancelTask(taskId);
    fixture.llm.probeBehaviour = () => VALID_ANSWER;
  });

  test('of a request whose Retry-After is longer is ended by the answer that says so', async () => {
    fixture.llm.behaviour = () => ({ do: 'refuse', status: 429, headers: { 'retry-after': '300' } });
    const { taskId } = await fixture.parkEcho('limited');
    const agent = fixture.startAgent({ leaseMs: 6_000, concurrency: 1, tries: 2 });
    expect(await agent.waitFor(eventMatcher('failed', 'limited'))).toMatchObject({
      type: 'rate_limit_error',
    });
    await agent.stop();
    expect(fixture.llm.countCalls('limited')).toBe(1);
    await fixture.cancelTask(taskId);
  });
});

describe('an agent', () => {
  // Well within the wait that an agent's claim may last.
  test('that waits for work sends nothing to Baton or Redis, and starts at once when there is some', {
    timeout: 20_000,
  }, async () => {
    const agent = fixture.startAgent();
    await fixture.parkEcho('to warm up');
    await agent.waitFor(eventMatcher('answered', 'to warm up'));
    // Its wait has begun when Redis has been asked for what is pending once more.
    const isLook = (command: string) => command.includes(':t:acme:pending');
    const looks = async () => (await monitor.commands()).filter(isLook).length;
    const before = await looks();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await looks()) - before).toBeLessThanOrEqual(1);
    await fixture.parkEcho('comes late');
    await agent.waitFor(eventMatcher('answered', 'comes late'));
    await agent.stop();
  });

  test('that is stopped while it waits never claims later work', async () => {
    const agent = fixture.startAgent({ leaseMs: 600_000 });
    await fixture.parkEcho('before the stop');
    await agent.waitFor(eventMatcher('answered', 'before the stop'));
    await agent.stop();
    const { interactionId, taskId } = await fixture.parkEcho('after the stop');
    expect(await claimable()).toEqual([interactionId]);
    await fixture.cancelTask(taskId);
  });

  test('for one role or operation never claims requests of others', async () => {
    const main = await fixture.parkEcho('for main');
    const research = await fixture.delegate('generateText', {
      messages: [{ role: 'user', content: 'for research' }],
    });
    await fixture.answerAll({ role: 'research' });
    expect(await fixture.waitForOutcome(research.taskId)).toMatchObject({ status: 'completed' });
    await fixture.answerAll({ operation: 'parse_prd' });
    expect(await claimable()).toEqual([main.interactionId]);
    await fixture.answerAll({ operation: 'bench_echo', role: 'main' });
    expect(await fixture.waitForOutcome(main.taskId)).toMatchObject({ status: 'completed' });
  });
});
