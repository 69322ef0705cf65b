import type { Scope } from '@baton/protocol';
import { OperatorStore } from '@baton/store/operator';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import { type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';

/**
 * A dead key is dead in calls that are held: whatever ends a key ends its waits and streams on every replica at once, with the
 * error that a new call gets, and nothing is given or claimed after the end. Every end meets every kind of held call.
 */

let baton: InProcessDeployment;
let redis: Redis;
let tenants = 0;

beforeAll(async () => {
  // Without a worker an answered task goes on working, and whoever waits for it waits.
  baton = await InProcessDeployment.start({ gateways: 2, workers: 0 });
  redis = new Redis(baton.redisUrl.replace('unix://', ''));
});
afterAll(async () => {
  redis?.disconnect();
  await baton?.stop();
});

const soon = { timeout: 10_000, interval: 5 };
const secret = 'made after the end';

interface Mole {
  readonly tenant: string;
  readonly key: string;
  readonly id: string;
  /** Another key of the tenant, which goes on. */
  readonly other: string;
}

async function mole(scopes: Scope[], expiresAt?: string): Promise<Mole> {
  const tenant = `held-${++tenants}`;
  const other = await baton.addTenant(tenant, { requestsPerSecond: 10_000, burst: 10_000 });
  const key = await baton.createKey(
    { scopes, principal: 'mole', ...(expiresAt ? { expiresAt } : {}) },
    tenant,
  );
  return { tenant, key, id: key.split('_')[2] ?? '', other };
}

const rpc = (key: string, method: string, params: object, replica = 0, headers = {}) =>
  postJsonRpc(baton.url(replica), key, { jsonrpc: '2.0', id: 1, method, params }, headers);
const call = async (key: string, name: string, args: object, replica = 0) =>
  rpc(key, 'tools/call', { name, arguments: args }, replica);
const codeOf = ({ body }: { body: AnyJson }): unknown => body?.error?.data?.code;

async function delegate(key: string, content: string): Promise<AnyJson> {
  const delegatedCallDetails = {
    originalCommand: 'x',
    serviceType: 'generateText',
    requestParameters: { messages: [{ role: 'user', content }] },
  };
  return (await call(key, 'agent_llm', { delegatedCallDetails })).body.result.structuredContent;
}
const answer = (key: string, interactionId: string, waitMs: number, replica = 0) =>
  call(
    key,
    'agent_llm',
    { interactionId, agentLLMResponse: { status: 'success', data: { text: 'x' } }, waitMs },
    replica,
  );

interface End {
  readonly code: string;
  readonly expiresInMs?: number;
  readonly end: (mole: Mole) => Promise<unknown>;
}

const keys = (tenant: string) => baton.store.tenant(tenant).keys;
const ENDS: Record<string, End> = {
  revoked: {
    code: 'unauthenticated',
    end: ({ tenant, id }) => baton.store.tenant(tenant).apiKeys.revoke(id),
  },
  // The end itself is what the call waits for.
  expired: { code: 'unauthenticated', expiresInMs: 1_000, end: async () => {} },
  suspended: {
    code: 'tenant_suspended',
    end: ({ tenant }) => new OperatorStore(baton.store).update(tenant, { suspended: true }),
  },
  'rotated without an overlap': {
    code: 'unauthenticated',
    end: ({ tenant, id }) => baton.store.tenant(tenant).apiKeys.rotate(id, 0),
  },
  // An expiry that a held call did not know of when it began.
  'rotated with an overlap of 1 s': {
    code: 'unauthenticated',
    end: ({ tenant, id }) => baton.store.tenant(tenant).apiKeys.rotate(id, 1),
  },
  // No route changes scopes: this is what an operator's tool does.
  'without its scope': {
    code: 'insufficient_scope',
    end: async ({ tenant, id }) => {
      await redis.hset(keys(tenant).credential(id), 'scopes', ' admin ');
      await redis.publish(keys(tenant).admissionChannel, `${tenant} ${id}`);
    },
  },
};

interface Held {
  readonly scopes: Scope[];
  /** Begins the call on the second replica, and returns it once it is held. */
  begin(mole: Mole): Promise<{ readonly reply: Promise<{ status: number; body: AnyJson }> }>;
}

const registered = async (tenant: string) =>
  vi.waitFor(async () => expect(await redis.hget(keys(tenant).tenant, 'watch')).not.toBeNull(), soon);
const waitedFor = async ({ tenant }: Mole, taskId: string) =>
  vi.waitFor(async () => expect(await redis.hget(keys(tenant).task(taskId), 'w')).not.toBe(null), soon);

const HELD: Record<string, Held> = {
  'a wait of pending_interactions': {
    scopes: ['agent'],
    begin: async ({ tenant, key }) => {
      const held = call(key, 'pending_interactions', { waitMs: 20_000 }, 1);
      await registered(tenant);
      return { reply: held };
    },
  },
  'a wait of pending_interactions with claim': {
    scopes: ['agent'],
    begin: async ({ tenant, key }) => {
      const held = call(
        key,
        'pending_interactions',
        { waitMs: 20_000, claim: { max: 5, leaseMs: 600_000 } },
        1,
      );
      await registered(tenant);
      return { reply: held };
    },
  },
  'a wait of task_status': {
    scopes: ['mcp'],
    begin: async (by) => {
      const { taskId, interactionId } = await delegate(by.key, 'x');
      await answer(by.key, interactionId, 0);
      const held = call(by.key, 'task_status', { taskId, waitMs: 20_000 }, 1);
      await waitedFor(by, taskId);
      return { reply: held };
    },
  },
  'a wait of agent_llm': {
    scopes: ['mcp'],
    begin: async (by) => {
      const { taskId, interactionId } = await delegate(by.key, 'x');
      const held = answer(by.key, interactionId, 20_000, 1);
      await waitedFor(by, taskId);
      return { reply: held };
    },
  },
  'a call of tasks/result': {
    scopes: ['mcp'],
    begin: async (by) => {
      const { taskId } = await delegate(by.key, 'x');
      const held = rpc(by.key, 'tasks/result', { taskId }, 1);
      await waitedFor(by, taskId);
      return { reply: held };
    },
  },
  'an answer over REST': {
    scopes: ['mcp'],
    begin: async (by) => {
      const { taskId, interactionId } = await delegate(by.key, 'x');
      const held = fetch(`${baton.url(1)}/v1/interactions/${interactionId}/answer`, {
        method: 'POST',
        headers: { authorization: `Bearer ${by.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          agentLLMResponse: { status: 'success', data: { text: 'x' } },
          waitMs: 20_000,
        }),
      }).then(async (reply) => {
        const problem = (await reply.json()) as AnyJson;
        return { status: reply.status, body: { error: { data: problem } } };
      });
      await waitedFor(by, taskId);
      return { reply: held };
    },
  },
};

/** Has a mole whose key is to end begin something; where the key has expired before that, another with twice the time does. */
async function beginBeforeEnd<T>(
  how: string,
  scopes: Scope[],
  begin: (by: Mole) => Promise<T>,
): Promise<{ by: Mole; held: T }> {
  const { expiresInMs } = ENDS[how]!;
  for (let ms = expiresInMs; ; ms = 2 * ms!) {
    const by = await mole(scopes, ms === undefined ? undefined : new Date(Date.now() + ms).toISOString());
    const held = await begin(by).catch((error: unknown) => ({ error }));
    const isLate =
      ms !== undefined && codeOf(await call(by.key, 'task_status', { taskId: 'x' })) !== undefined;
    if (!isLate) {
      if (typeof held === 'object' && held !== null && 'error' in held) throw held.error;
      return { by, held: held as T };
    }
  }
}
const WAITS = Object.keys(HELD).flatMap((what) => Object.keys(ENDS).map((how) => [what, how] as const));

// Each has a tenant of its own, and some wait for a second.
test.concurrent.each(WAITS)(
  '%s of a key that is %s ends with the error of a new call, and is given nothing',
  async (what, how) => {
    const { code, end } = ENDS[how]!;
    const { by, held } = await beginBeforeEnd(how, HELD[what]!.scopes, (each) => HELD[what]!.begin(each));
    await end(by);
    if (how === 'revoked' || how === 'without its scope') await delegate(by.other, secret);
    const { status, body } = await held.reply;
    const fresh = await call(by.key, 'pending_interactions', {}, 0);
    expect(codeOf(fresh)).toBe(code);
    expect({ status, code: codeOf({ body }) }).toEqual({ status: fresh.status, code });
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(await redis.zcard(keys(by.tenant).claims)).toBe(0);
  },
);

test.concurrent.each(Object.keys(ENDS))(
  'whoever misses that a key is %s is given nothing of what becomes pending afterwards, and claims none of it',
  async (how) => {
    const { code, expiresInMs } = ENDS[how]!;
    const waits = Object.keys(HELD).filter((what) => what.includes('pending_interactions'));
    const { by, held } = await beginBeforeEnd(how, ['agent'], async (each) => {
      const begun = [];
      for (const what of waits) begun.push(await HELD[what]!.begin(each));
      return begun;
    });
    // Written as each end writes it, and published to nobody.
    const record = keys(by.tenant).credential(by.id);
    if (expiresInMs !== undefined)
      await vi.waitFor(
        async () => expect(codeOf(await call(by.key, 'task_status', { taskId: 'x' }))).toBe(code),
        soon,
      );
    else if (how === 'revoked') await redis.del(record);
    else if (how === 'suspended') await redis.hset(keys(by.tenant).tenant, 'suspended', 1);
    else if (how === 'without its scope') await redis.hset(record, 'scopes', ' admin ');
    else await redis.multi().hset(record, 'expires', 1).pexpire(record, 60_000).exec();
    const opened = baton.store.tenant(by.tenant).operatorCaller();
    await baton.store.tenant(by.tenant).tasks.open(opened, {
      operation: 'x',
      version: 1,
      input: {},
      journal: [],
      ready: false,
      waits: [
        {
          kind: 'llm',
          path: '0',
          request: {
            call: {
              role: 'main',
              serviceType: 'generateText',
              attempt: 1,
              summary: secret,
              request: { apiKey: null, modelId: 'any', messages: [{ role: 'user', content: secret }] },
            },
          },
        },
      ],
    });
    for (const reply of await Promise.all(held.map((one) => one.reply))) {
      expect(codeOf(reply)).toBe(code);
      expect(JSON.stringify(reply.body)).not.toContain(secret);
    }
    expect(await redis.zcard(keys(by.tenant).claims)).toBe(0);
  },
);

const initialize = async (key: string) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  return (await rpc(key, 'initialize', params)).headers.get('mcp-session-id') ?? '';
};

test.concurrent.each(Object.keys(ENDS))(
  'the stream of a key that is %s is closed, hears of no change after the end, and cannot be opened or subscribed again',
  async (how) => {
    const { code, end } = ENDS[how]!;
    const subscribe = (by: Mole, session: string, uri: string) =>
      rpc(by.key, 'resources/subscribe', { uri }, 0, { 'mcp-session-id': session });
    const open = (by: Mole, session: string) =>
      fetch(`${baton.url(1)}/mcp`, {
        headers: {
          authorization: `Bearer ${by.key}`,
          'mcp-session-id': session,
          accept: 'text/event-stream',
        },
      });
    const { by, held } = await beginBeforeEnd(how, ['mcp', 'agent'], async (each) => {
      const session = await initialize(each.key);
      const { taskId } = await delegate(each.key, 'x');
      expect((await subscribe(each, session, `baton://tasks/${taskId}`)).body.result).toEqual({});
      const stream = await open(each, session);
      expect(stream.status).toBe(200);
      return { session, taskId, heard: stream.text() };
    });
    const { session, taskId, heard } = held;
    await end(by);
    // A change that the stream would be told of, as soon as the key has ended.
    const { tasks } = baton.store.tenant(by.tenant);
    if (how !== 'expired' && !how.includes('1 s'))
      await tasks.cancel({ principal: 'mole', scopes: new Set() }, taskId);
    const updates = (await heard).split('\n').filter((line) => line.includes('resources/updated'));
    // One notification of each subscription begins a stream.
    expect(updates.length).toBeLessThanOrEqual(1);
    expect(codeOf(await subscribe(by, session, 'baton://projects'))).toBe(code);
    const again = await open(by, session);
    expect(again.status).toBe(code === 'unauthenticated' ? 401 : 403);
    expect(await again.text()).toContain(`"${code}"`);
  },
);

test('a call is held on when another key of its tenant ends, and a stream too', async () => {
  const by = await mole(['agent']);
  const neighbour = await baton.createKey({ scopes: ['agent'] }, by.tenant);
  const held = await HELD['a wait of pending_interactions']!.begin(by);
  const session = await initialize(by.key);
  const headers = { authorization: `Bearer ${by.key}`, 'mcp-session-id': session };
  const abort = new AbortController();
  const stream = await fetch(`${baton.url(1)}/mcp`, { headers, signal: abort.signal });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  await baton.store.tenant(by.tenant).apiKeys.revoke(neighbour.split('_')[2] ?? '');
  await new OperatorStore(baton.store).update(by.tenant, { name: 'renamed' });
  await delegate(by.other, 'goes on');
  const { status, body } = await held.reply;
  expect([status, body.result.structuredContent.interactions.length]).toEqual([200, 1]);
  let heard = '';
  while (!heard.includes('list_changed')) heard += (await reader.read()).value;
  abort.abort();
});
