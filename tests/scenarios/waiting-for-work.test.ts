import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  successAnswer,
  callTool,
  connectMcpClient,
  type AnyJson,
  postJsonRpc,
} from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { RedisMonitor } from '../harness/redis-monitor.ts';

/** How agents wait for pending interactions, with claims and without, on any replica. */
let baton: InProcessDeployment;
let monitor: RedisMonitor;
let redis: Redis;
beforeAll(async () => {
  baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
  monitor = await RedisMonitor.open(baton.redisUrl);
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  monitor.close();
  redis.disconnect();
  await baton.stop();
});

/** A tenant of its own for each test: a client on either replica, of one agent's key, and another agent's. */
let here: Client;
let there: Client;
let another: Client;
let key: string;
let tenants = 0;
beforeEach(async () => {
  const id = `waiting-${++tenants}`;
  await baton.addTenant(id);
  key = await baton.createKey({ scopes: ['mcp', 'agent'], principal: 'one' }, id);
  const other = await baton.createKey({ scopes: ['mcp', 'agent'], principal: 'two' }, id);
  here = await connectMcpClient(baton.url(0), key);
  there = await connectMcpClient(baton.url(1), key);
  another = await connectMcpClient(baton.url(1), other);
});

const ask = async (text: string, role = 'main'): Promise<AnyJson> =>
  callTool(there, 'agent_llm', {
    delegatedCallDetails: {
      originalCommand: 'ask',
      role,
      serviceType: 'generateText',
      requestParameters: { messages: [{ role: 'user', content: text }] },
    },
  });
const pending = (client: Client, args: object) => callTool(client, 'pending_interactions', args);
const idsOf = ({ interactions }: AnyJson): string[] => interactions.map((one: AnyJson) => one.interactionId);

describe('waiting for work', () => {
  const claim = { max: 5, leaseMs: 60_000 };
  /** Resolves when as many replicas as given hold a request for this tenant's work. */
  const waiting = (count: number) =>
    expect
      .poll(async () => {
        const watch = await redis.hget(`baton:{s0}:t:waiting-${tenants}`, 'watch');
        return watch?.split(' ').length ?? 0;
      })
      .toBe(count);

  test('ends when an interaction is opened on another replica, and sends nothing to Redis meanwhile', async () => {
    const waits = pending(here, { claim, waitMs: 20_000 });
    await waiting(1);
    const from = (await monitor.commands()).length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    const asked = (await monitor.commands(from)).filter((command) =>
      command.includes(`:t:waiting-${tenants}:`),
    );
    expect(asked).toEqual([]);
    const { interactionId } = await ask('x');
    const [got] = (await waits).interactions;
    expect(got).toMatchObject({ interactionId, claimedUntil: expect.any(String) });
  });

  test('ends when a worker opens an interaction later in a task', async () => {
    const parsed = await callTool(there, 'parse_prd', { prd: 'A shop.', projectRoot: 'shop', force: true });
    await pending(another, { claim });
    const waits = pending(here, { claim, waitMs: 20_000 });
    await waiting(1);
    const { interactionId } = parsed;
    const wrong = { interactionId, agentLLMResponse: successAnswer({ text: 'no JSON' }), waitMs: 0 };
    await callTool(there, 'agent_llm', wrong);
    expect((await waits).interactions).toMatchObject([{ taskId: parsed.taskId, attempt: 2 }]);
  });

  test('ends when another holder releases its claim', async () => {
    const { interactionId } = await ask('x');
    await pending(another, { claim });
    const waits = pending(here, { claim, waitMs: 20_000 });
    await waiting(1);
    await pending(another, { interactionId, claim: { leaseMs: 0 } });
    expect(idsOf(await waits)).toEqual([interactionId]);
  });

  test("returns each request to exactly one of many waiters, and never another tenant's", async () => {
    const outside = await connectMcpClient(baton.url(0), await baton.addTenant(`outside-${tenants}`));
    const theirs = pending(outside, { claim, waitMs: 20_000 });
    const all = [here, there, another, here].map((client) => pending(client, { claim, waitMs: 20_000 }));
    await waiting(2);
    const asked: string[] = [];
    let ended = 0;
    for (const one of all) void one.then(() => ended++);
    for (let n = 1; n <= all.length; n++) {
      asked.push((await ask('x')).interactionId);
      await expect.poll(() => ended).toBe(n);
    }
    const got = (await Promise.all(all)).map((page) => idsOf(page).join());
    expect(got.toSorted()).toEqual(asked.toSorted());
    const { interactionId } = await callTool(outside, 'bench_echo', { text: 'theirs' });
    expect(idsOf(await theirs)).toEqual([interactionId]);
  });

  test('continues past interactions that the filter excludes', async () => {
    const main = await ask('m');
    const waits = pending(here, { claim, role: 'research', waitMs: 20_000 });
    await waiting(1);
    await ask('m2');
    const { interactionId } = await ask('r', 'research');
    expect(idsOf(await waits)).toEqual([interactionId]);
    expect(idsOf(await pending(another, { claim }))).toContain(main.interactionId);
  });

  test('with a cursor ends for interactions released before it, now or earlier', {
    timeout: 20_000,
  }, async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await ask('x')).interactionId);
    const [early] = ids;
    const one = { max: 1, leaseMs: 60_000 };
    const giveUp = () => pending(another, { interactionId: early, claim: { leaseMs: 0 } });
    expect(idsOf(await pending(another, { claim: one }))).toEqual([early]);
    const { nextCursor: cursor } = await pending(here, { claim: one });
    expect(idsOf(await pending(here, { claim: one }))).toEqual([ids[2]]);
    const waits = pending(here, { claim: { ...one, holder: 'h' }, cursor, waitMs: 20_000 });
    await waiting(1);
    await giveUp();
    expect(idsOf(await waits)).toEqual([early]);

    await pending(here, { interactionId: early, claim: { leaseMs: 0, holder: 'h' } });
    // What is free already is returned, not waited for.
    expect(idsOf(await pending(here, { claim: one, cursor, waitMs: 20_000 }))).toEqual([early]);
  });

  test('never depends on a wall clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const waits = pending(here, { claim, role: 'research', waitMs: 20_000 });
      await waiting(1);
      vi.setSystemTime(Date.now() + 3_600_000);
      await ask('m');
      await waiting(1);
      const { interactionId } = await ask('r', 'research');
      expect(idsOf(await waits)).toEqual([interactionId]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('runs one query for all woken waiters of a replica with the same filter', async () => {
    const scripts = async (key: string) =>
      (await monitor.commands()).filter((command) => command.includes(`:t:waiting-${tenants}:${key}"`))
        .length;
    const looks = () => scripts('pending');
    const all: Promise<AnyJson>[] = [];
    for (let n = 1; n <= 12; n++) {
      all.push(pending(here, { waitMs: 20_000 }));
      await expect.poll(looks).toBeGreaterThanOrEqual(n);
    }
    const before = await looks();
    // What opens a task names its list too, and the last wait may look twice.
    const { interactionId } = await ask('x');
    expect((await Promise.all(all)).map(idsOf)).toEqual(all.map(() => [interactionId]));
    expect((await looks()) - before).toBeLessThanOrEqual(4);
  });

  test('of a client that has disconnected never claims anything', async () => {
    const gone = new AbortController();
    const args = { claim, waitMs: 20_000 };
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'pending_interactions', arguments: args },
    };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal: gone.signal };
    const held = fetch(`${baton.url(0)}/mcp`, request).then(
      (response) => response.text().catch(() => 'aborted'),
      () => 'aborted',
    );
    await waiting(1);
    gone.abort();
    expect(await held).toBe('aborted');
    // A request behind it on the same replica: by then the other's end has been seen.
    await postJsonRpc(baton.url(0), key, {
      ...body,
      params: { name: 'pending_interactions', arguments: {} },
    });
    const { interactionId } = await ask('x');
    expect(idsOf(await pending(here, { claim, waitMs: 5_000 }))).toEqual([interactionId]);
  });
});

test('of many that wait for one request each, a request wakes one; and each request finds one', async () => {
  const WAITING = 30;
  const scripts = await RedisMonitor.open(baton.redisUrl, { scripts: true });
  const from = async () => (await scripts.commands()).length;
  const listsSince = async (at: number) => {
    const isList = (command: string) =>
      command.startsWith('lua "ZRANGE"') && command.includes(`:t:waiting-${tenants}:pending"`);
    return (await scripts.commands(at)).filter(isList).length;
  };
  const start = await from();
  const taken: string[] = [];
  const waits = Array.from({ length: WAITING }, async (_, n) => {
    const claim = { max: 1, leaseMs: 60_000, holder: `agent-${n}` };
    taken.push(...idsOf(await pending(here, { claim, waitMs: 20_000 })));
  });
  await expect.poll(() => listsSince(start)).toBe(WAITING);

  const opened = await from();
  const { interactionId } = await ask('the first');
  await expect.poll(() => taken).toEqual([interactionId]);
  // The one that took it, the next, which finds no other, and that one's look behind its registration.
  expect(await listsSince(opened)).toBeLessThanOrEqual(4);

  const asked = [interactionId];
  for (let n = 1; n < WAITING; n++) asked.push((await ask(`another, ${n}`)).interactionId);
  await Promise.all(waits);
  expect(new Set(taken)).toEqual(new Set(asked));
  expect(taken).toHaveLength(WAITING);
  scripts.close();
});
