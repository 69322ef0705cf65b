import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, call } from '../harness/client.ts';
import { Monitor } from '../harness/monitor.ts';
import { right } from './llm-server.ts';
import { SlowDoor } from './slow-door.ts';
import { about, kinds, Workplace } from './workplace.ts';

/** What an agent holds, for how long, and what it leaves to others. */
let place: Workplace;
let monitor: Monitor;
beforeAll(async () => {
  place = await Workplace.open();
  monitor = await Monitor.open(place.baton.redisUrl);
});
afterAll(async () => {
  monitor.close();
  await place.close();
});
afterEach(() => {
  place.llm.manner = () => right;
});

/** What anyone could claim now, for an instant. */
const claimable = async (): Promise<string[]> => {
  const { listing, claims } = place.baton.store.tenant('acme');
  const anyone = { principal: 'anyone', scopes: new Set(['agent'] as const) };
  const { items } = await listing.pending(anyone, { claim: { max: 50, leaseMs: 1_000 } });
  for (const { interactionId } of items) await claims.claim(anyone, interactionId, { leaseMs: 0 });
  return items.map(({ interactionId }) => interactionId);
};

describe('a lease', () => {
  test('is renewed while the LLM takes longer than it, and nobody else asks meanwhile', async () => {
    place.llm.manner = () => ({ do: 'say', afterMs: 4_000 });
    const { taskId } = await place.echo('takes its time');
    const [agent, idle] = [place.agent({ leaseMs: 1_000 }), place.agent({ leaseMs: 1_000 })];
    await place.finished(taskId);
    await Promise.all([agent.stop(), idle.stop()]);
    expect(place.llm.timesOf('takes its time')).toBe(1);
    expect([...kinds(agent.events), ...kinds(idle.events)].sort()).toEqual([
      'answered',
      'claimed',
      'stopping',
      'stopping',
    ]);
  });

  test('of what somebody else answered ends the LLM call early', async () => {
    place.llm.manner = () => ({ do: 'hang' });
    const { taskId, interactionId } = await place.echo('answered elsewhere');
    const agent = place.agent({ leaseMs: 1_000 });
    await agent.until(about('claimed', 'answered elsewhere'));
    const agentLLMResponse = answerOf({ value: 'by hand' });
    await call(place.caller, 'agent_llm', { interactionId, agentLLMResponse });
    const end = await agent.until(about('superseded', 'answered elsewhere'));
    expect(end).toMatchObject({ code: 'interaction_already_answered' });
    expect((end as { tookMs: number }).tookMs).toBeLessThan(10_000);
    expect(await place.outcome(taskId)).toMatchObject({ result: { value: 'by hand' } });
    await agent.stop();
  });

  test('is given back by an agent that is stopped, at once and not when it is over', async () => {
    place.llm.manner = () => ({ do: 'hang' });
    const { taskId, interactionId } = await place.echo('given back');
    const agent = place.agent({ leaseMs: 600_000 });
    await agent.until(about('claimed', 'given back'));
    expect(await claimable()).toEqual([]);
    expect(await agent.stop(0)).toMatchObject({ abandoned: 1 });
    expect(await claimable()).toEqual([interactionId]);
    await place.interrupt(taskId);
  });

  test('is given back for good by an agent whose renewal is still on its way', async () => {
    place.llm.manner = () => ({ do: 'hang' });
    const door = await SlowDoor.before(place.baton.url(0));
    const { taskId, interactionId } = await place.echo('renewed late');
    const agent = place.agent({ url: `${door.url}/mcp`, leaseMs: 4_000 });
    const renewal = door.keep('asked', /"interactionId":.*"leaseMs":4000/);
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
    await place.interrupt(taskId);
    await door.close();
  });

  test('that was given while the agent stopped to look is given back, though it never heard of it', async () => {
    const door = await SlowDoor.before(place.baton.url(0));
    const agent = place.agent({ url: `${door.url}/mcp`, leaseMs: 600_000 });
    const reply = door.keep('answered', /given in vain/);
    const { taskId, interactionId } = await place.echo('given in vain');
    await reply;
    expect(await claimable()).toEqual([]);
    await agent.stop();
    expect(kinds(agent.events)).toEqual(['stopping']);
    expect(await claimable()).toEqual([interactionId]);
    await place.interrupt(taskId);
    await door.close();
  });

  test('is given back when the LLM key is refused, and when the endpoint wants to be left alone for longer', async () => {
    const { interactionId, taskId } = await place.echo('refused');
    place.llm.manner = () => ({ do: 'refuse', status: 401 });
    await expect(place.agent({ leaseMs: 600_000 }).done).rejects.toThrow();
    expect(await claimable()).toEqual([interactionId]);
    await place.interrupt(taskId);

    place.llm.manner = () => ({ do: 'refuse', status: 429, headers: { 'retry-after': '300' } });
    const tasks = [await place.echo('limited 1'), await place.echo('limited 2')];
    const agent = place.agent({ leaseMs: 6_000, concurrency: 1, tries: 2 });
    await agent.until(about('failed'));
    await agent.stop();
    expect((await claimable()).length).toBeGreaterThanOrEqual(1);
    for (const task of tasks) await place.interrupt(task.taskId);
  });
});

describe('an agent', () => {
  test('that waits for work asks neither Baton nor Redis for it, and begins at once when there is some', async () => {
    const agent = place.agent();
    await place.echo('to warm up');
    await agent.until(about('answered', 'to warm up'));
    // Its wait has begun when Redis has been asked for what is pending once more.
    const isLook = (command: string) => command.includes(':t:acme:holders');
    const looks = () => monitor.commands.filter(isLook).length;
    const before = looks();
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(looks() - before).toBeLessThanOrEqual(1);
    const begun = performance.now();
    await place.echo('comes late');
    await agent.until(about('answered', 'comes late'));
    expect(performance.now() - begun, 'no interval is waited for').toBeLessThan(10_000);
    await agent.stop();
  });

  test('that waits for work and is stopped leaves what comes then to others', async () => {
    const agent = place.agent({ leaseMs: 600_000 });
    await place.echo('before the stop');
    await agent.until(about('answered', 'before the stop'));
    await agent.stop();
    const { interactionId, taskId } = await place.echo('after the stop');
    expect(await claimable()).toEqual([interactionId]);
    await place.interrupt(taskId);
  });

  test('for one role or operation answers what is of it, and holds nothing else', async () => {
    const main = await place.echo('for main');
    const research = await place.delegate('generateText', {
      messages: [{ role: 'user', content: 'for research' }],
    });
    await place.answerAll({ role: 'research' });
    expect(await place.outcome(research.taskId)).toMatchObject({ status: 'completed' });
    await place.answerAll({ operation: 'parse_prd' });
    expect(await claimable()).toEqual([main.interactionId]);
    await place.answerAll({ operation: 'bench_echo', role: 'main' });
    expect(await place.outcome(main.taskId)).toMatchObject({ status: 'completed' });
  });
});
