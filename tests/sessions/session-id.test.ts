import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { successAnswer, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment, SECRET } from '../harness/in-process-deployment.ts';
import { isPeriodicCommand, RedisMonitor } from '../harness/redis-monitor.ts';
import { NotificationRecordingClient } from './notification-recording-client.ts';

const DAY_MS = 86_400_000;

describe('session ids', () => {
  let baton: InProcessDeployment;
  let redis: Redis;

  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
    redis = new Redis(baton.redisUrl.replace('unix://', ''));
  });
  afterAll(async () => {
    redis?.disconnect();
    await baton?.stop();
  });

  const send = (
    body: unknown,
    { session, replica = 0, key = baton.apiKey, headers = {} }: Partial<Sent> = {},
  ) =>
    postJsonRpc(baton.url(replica), key, body, {
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      ...headers,
    });
  const bare = (method: string, session: string, replica = 0, key = baton.apiKey) =>
    fetch(`${baton.url(replica)}/mcp`, {
      method,
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', 'mcp-session-id': session },
    });
  const initialize = async (params: object = {}, sent: Partial<Sent> = {}) => {
    const clientInfo = { name: 'x', version: '1' };
    const all = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo, ...params };
    const { status, headers } = await send(rpc('initialize', all), sent);
    expect(status).toBe(200);
    return headers.get('mcp-session-id') ?? '';
  };

  test('a session id is self-contained: visible ASCII, valid at every replica, and never stored in Redis [session-id]', async () => {
    const keys = async () =>
      (await redis.keys('*')).filter((key) => !/:bull:|:swept$|:workers$|:rates$/.test(key)).sort();
    const before = await keys();
    const session = await initialize();
    expect(session).toMatch(/^[\x21-\x7e]+$/);
    for (const replica of [0, 1]) {
      expect((await send(rpc('ping'), { session, replica })).body).toMatchObject({ result: {} });
      const { body } = await send(rpc('tools/call', { name: 'list_tags', arguments: {} }), {
        session,
        replica,
      });
      expect(body.result).toBeDefined();
    }
    expect(await keys()).toEqual(before);
    expect(await initialize()).not.toBe(session);
    const claims = Buffer.from(session, 'base64url').toString('latin1');
    expect(claims).not.toContain('acme');
  });

  test('it never exceeds the header size of proxies, whatever clientInfo contains [session-id]', async () => {
    const much = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`x-${at}`, { y: 'z'.repeat(100) }]),
    );
    const clientInfo = { name: '\ud800é'.repeat(5_000), version: '\u0000'.repeat(5_000) };
    for (const capabilities of [
      { experimental: much },
      { sampling: much, elicitation: {}, extensions: much },
      { roots: { listChanged: true } },
    ]) {
      const session = await initialize({ clientInfo, capabilities });
      expect(session.length).toBeLessThan(3_000);
      expect((await send(rpc('ping'), { session, replica: 1 })).status).toBe(200);
    }
  });

  test('initialize with an old or broken id returns a new one [session-id]', async () => {
    const old = await initialize();
    for (const session of [old, 'broken']) {
      const next = await initialize({}, { session });
      expect(next).not.toBe(old);
      expect((await send(rpc('ping'), { session: next })).status).toBe(200);
    }
  });

  test('a request with a session is validated like one without, by its header too [session-id]', async () => {
    const session = await initialize();
    const headers = { 'mcp-protocol-version': '1999-01-01' };
    expect((await send(rpc('ping'), { session, headers })).status).toBe(400);
    expect((await send([rpc('ping')], { session })).status).toBe(200);
    expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { session })).status).toBe(
      202,
    );
    const json = {
      authorization: `Bearer ${baton.apiKey}`,
      accept: 'application/json',
      'mcp-session-id': session,
    };
    expect((await fetch(`${baton.url()}/mcp`, { headers: json })).status).toBe(406);
    const versioned = { ...json, ...headers, accept: 'text/event-stream' };
    expect((await fetch(`${baton.url()}/mcp`, { headers: versioned })).status).toBe(400);
  });

  test('a broken or foreign id is 404 with a hint to initialize, for each method and message [session-unknown]', async () => {
    const session = await initialize();
    const shown = {
      tenant: 'acme',
      principal: 'x',
      id: 'x',
      protocolVersion: '2025-11-25',
      capabilities: {},
    };
    const whole = { ...shown, client: { name: 'x', version: '1' }, issuedAt: Date.now() };
    const { principal } = await baton.store.tenant('acme').apiKeys.get(baton.apiKey.split('_')[2] ?? '');
    const ours = sealed(JSON.stringify({ ...whole, principal }));
    expect((await send(rpc('ping'), { session: ours })).status, 'the test seals as Baton does').toBe(200);
    const foreign = await initialize({}, { key: await baton.createKey({}) });
    const ofTenant = await initialize({}, { key: await baton.addTenant('foreign') });
    const bad = [
      'x',
      '',
      'null',
      '../..',
      '\u00e9',
      'x'.repeat(8_000),
      session.slice(0, -1),
      session.slice(1),
      `${session}x`,
      flipped(session),
      session.split('').reverse().join(''),
      Buffer.from(JSON.stringify({ ...whole, principal })).toString('base64url'),
      sealed(JSON.stringify({ ...whole, principal }), SECRET, 'cursors of acme'),
      foreign,
      ofTenant,
      sealed(JSON.stringify({ ...whole, principal, issuedAt: Date.now() - 91 * DAY_MS })),
      sealed(JSON.stringify({ ...whole, principal }), 'another secret of a test'),
      sealed(JSON.stringify({ ...whole, principal, tenant: 'other' })),
      sealed(JSON.stringify(whole)),
      sealed(JSON.stringify(shown)),
      sealed('7'),
    ];
    for (const one of bad) {
      const replies = await Promise.all([
        send(rpc('ping'), { session: one }),
        send(rpc('tools/call', { name: 'get_tasks', arguments: {} }), { session: one, replica: 1 }),
        send([rpc('ping')], { session: one }),
        send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { session: one }),
      ]);
      for (const { status, body } of replies) {
        expect([one, status, body?.error.data.code]).toEqual([one, 404, 'session_not_found']);
        expect(body.error.message).toContain('Start over with initialize');
      }
      for (const method of ['GET', 'DELETE'])
        expect([one, (await bare(method, one)).status]).toEqual([one, 404]);
    }
    for (const key of [foreign, ofTenant]) expect(key).not.toBe(session);
    expect((await send(rpc('ping'), { session })).status, 'what is tried on it does it no harm').toBe(200);
  });

  test('a request with a broken session id never creates a task or accepts an answer [session-unknown]', async () => {
    const started = await send(rpc('tools/call', { name: 'bench_echo', arguments: { text: 'x' } }));
    const { interactionId, taskId } = started.body.result.structuredContent;
    const args = { interactionId, agentLLMResponse: successAnswer({ value: 'x' }) };
    const foreign = await initialize({}, { key: await baton.createKey({}) });
    for (const session of ['broken', foreign])
      expect(
        (await send(rpc('tools/call', { name: 'agent_llm', arguments: args }), { session })).status,
      ).toBe(404);
    const { body } = await send(rpc('tools/call', { name: 'task_status', arguments: { taskId } }));
    expect(body.result.structuredContent.status).toBe('input_required');
  });

  test('a revoked key is refused as such, whatever the session [session-unknown]', async () => {
    const session = await initialize();
    const dead = await baton.createKey({});
    await baton.store.tenant('acme').apiKeys.revoke(dead.split('_')[2] ?? '');
    for (const one of [session, 'broken'])
      expect((await send(rpc('ping'), { session: one, key: dead })).status).toBe(401);
    expect((await bare('GET', session, 0, dead)).status).toBe(401);
  });

  test('a rotated key can use the session of its principal [session-id]', async () => {
    const key = await baton.createKey({});
    const session = await initialize({}, { key });
    const { apiKeys } = baton.store.tenant('acme');
    const next = await apiKeys.rotate(key.split('_')[2] ?? '', 60);
    expect((await send(rpc('ping'), { session, key: next.key, replica: 1 })).status).toBe(200);
    expect((await send(rpc('ping'), { session, key, replica: 1 })).status).toBe(200);
  });

  test('a known session costs no call to Redis [session-id]', async () => {
    const session = await initialize();
    const monitor = await RedisMonitor.open(baton.redisUrl);
    const callsOf = async (sent: Partial<Sent>) => {
      await send(rpc('ping'), sent);
      const from = (await monitor.commands()).length;
      for (let n = 0; n < 20; n++) await send(rpc('ping'), sent);
      await vi.waitFor(async () =>
        expect(ofCalls(await monitor.commands(from)).length).toBeGreaterThanOrEqual(20),
      );
      return ofCalls(await monitor.commands(from)).length;
    };
    // What replicas and workers do on their own may fall into the window; a call a ping would be 20 more.
    const [known, none] = [await callsOf({ session, replica: 1 }), await callsOf({ replica: 1 })];
    expect(known - none).toBeLessThan(10);
    monitor.close();
  });

  test('DELETE ends a session on every replica, its stream and its subscriptions with it [session-ended]', async () => {
    const routes = { posts: baton.url(0), stream: baton.url(1) };
    const client = await NotificationRecordingClient.connect(routes, baton.apiKey);
    const { sessionId } = client;
    await client.subscribe('baton://projects');
    const stream = await bare('GET', sessionId, 1);
    for (const replica of [0, 1])
      expect((await send(rpc('ping'), { session: sessionId, replica })).status).toBe(200);
    await client.transport.terminateSession();
    await client.close();
    // Well before a replica that did not hear of it would ask.
    await vi.waitFor(
      async () => {
        for (const replica of [0, 1])
          expect((await send(rpc('ping'), { session: sessionId, replica })).status).toBe(404);
      },
      { timeout: 3_000, interval: 10 },
    );
    await stream.text();
    expect((await bare('GET', sessionId)).status).toBe(404);
    expect((await bare('DELETE', sessionId)).status).toBe(404);
    const left = await redis.keys('*:t:acme:*');
    expect(left.filter((name) => /:session:|:subscribers$/.test(name))).toEqual([]);
    const [ended = ''] = left.filter((name) => name.endsWith(':ended'));
    expect(await redis.pttl(ended)).toBeGreaterThan(DAY_MS);
  });

  test('a replica that missed the end of a session refuses it once it reaches Redis again [session-ended]', async () => {
    const session = await initialize();
    expect((await send(rpc('ping'), { session, replica: 1 })).status).toBe(200);
    const kill = redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const ended = bare('DELETE', session);
    await Promise.all([kill, ended]);
    await vi.waitFor(
      async () => expect((await send(rpc('ping'), { session, replica: 1 })).status).toBe(404),
      { timeout: 3_000, interval: 10 },
    );
  });
});

interface Sent {
  session: string;
  replica: number;
  key: string;
  headers: Record<string, string>;
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** What requests send. */
function ofCalls(commands: readonly string[]): string[] {
  return commands.filter((command) => !isPeriodicCommand(command) && !/:bull:/.test(command));
}

/** AES-256-GCM under the key that Baton derives from its secret: nonce, text and tag. */
function sealed(text: string, secret = SECRET, purpose = 'session'): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `baton ${purpose}`, 32));
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('session'));
  const encrypted = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return encrypted.toString('base64url');
}

function flipped(text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[bytes.length >> 1]! ^= 1;
  return bytes.toString('base64url');
}
