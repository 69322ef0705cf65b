import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { OperatorStore } from '@baton/store/operator';
import { successAnswer, callTool, type AnyJson, postJsonRpc } from '../harness/mcp-client.ts';
import { InProcessDeployment } from '../harness/in-process-deployment.ts';
import {
  LIST_CHANGED,
  NotificationRecordingClient,
  type ClientRoutes,
} from './notification-recording-client.ts';

// Registrations are renewed every second rather than every ten.
vi.mock(import('../../packages/store/src/records/durations.ts'), async (original) => ({
  ...(await original()),
  CHANGE_FEED_RENEW_INTERVAL: 1_000 as never,
}));

const of = (project: string, path: string) => `baton://projects/${encodeURIComponent(project)}/${path}`;

describe('subscriptions', () => {
  let baton: InProcessDeployment;
  let redis: Redis;
  const open: NotificationRecordingClient[] = [];
  let made = 0;

  beforeAll(async () => {
    baton = await InProcessDeployment.start({ gateways: 2, workers: 1 });
    redis = new Redis(baton.redisUrl.replace('unix://', ''));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  afterAll(async () => {
    redis?.disconnect();
    await baton?.stop();
  });

  /** Requests to the first replica, the stream on the second, unless said otherwise. */
  const connect = async (apiKey = baton.apiKey, routes: Partial<ClientRoutes> = {}) => {
    const one = await NotificationRecordingClient.connect(
      { posts: baton.url(0), stream: baton.url(1), ...routes },
      apiKey,
    );
    open.push(one);
    return one;
  };
  /** A project of its own for each test, made by someone who has no stream. */
  const project = async (apiKey = baton.apiKey) => {
    const projectRoot = `C:\\Häuser & Gärten/${++made}`;
    await tool('initialize_project', { projectRoot }, apiKey);
    return projectRoot;
  };
  const rpc = (method: string, params: object, apiKey = baton.apiKey, headers = {}) =>
    postJsonRpc(baton.url(0), apiKey, { jsonrpc: '2.0', id: 1, method, params }, headers);
  const tool = async (name: string, args: object, apiKey = baton.apiKey): Promise<AnyJson> => {
    const { body } = await rpc('tools/call', { name, arguments: args }, apiKey);
    expect(body.result.isError).toBeUndefined();
    return body.result.structuredContent;
  };
  /** A session of a client that only the test drives. */
  const initialize = async (apiKey = baton.apiKey) => {
    const clientInfo = { name: 'x', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    return (await rpc('initialize', params, apiKey)).headers.get('mcp-session-id') ?? '';
  };
  const stream = (session: string, replica: number, apiKey = baton.apiKey) =>
    fetch(`${baton.url(replica)}/mcp`, {
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'text/event-stream',
        'mcp-session-id': session,
      },
    });
  /**
   * Resolves when all that was changed before has been told: what is due is told in its order, and this comes last.
   * A first call subscribes to what it changes.
   */
  const told = async (client: NotificationRecordingClient) => {
    const projectRoot = 'a project that is told of last';
    const uri = of(projectRoot, 'rules');
    const set = () => tool('set_rules', { projectRoot, rules: [String(++made)] });
    if ((await rpc('resources/read', { uri })).body.error !== undefined) {
      await tool('initialize_project', { projectRoot });
      await set();
    }
    await client.subscribe(uri);
    const received = client.notifications.filter((what) => what !== uri);
    client.notifications.splice(0, client.notifications.length, ...received);
    await set();
    await client.waitFor(uri);
    client.notifications.splice(client.notifications.indexOf(uri), 1);
  };
  const addTask = (projectRoot: string, apiKey = baton.apiKey) =>
    tool('add_task', { projectRoot, title: 'Dig', description: 'A hole.' }, apiKey);

  test('declares subscriptions and list changes as capabilities [subscriptions-capability]', async () => {
    const { client } = await connect();
    expect(client.getServerCapabilities()?.resources).toEqual({ subscribe: true, listChanged: true });
  });

  test('a subscription at one replica is notified on the stream at another, whoever made the change [subscription-updated, resource-updates]', async () => {
    const projectRoot = await project();
    const client = await connect();
    await client.subscribe(of(projectRoot, 'tasks'));
    // The commit is a worker's.
    const asked = await tool('parse_prd', { prd: 'A garden.', numTasks: 1, projectRoot });
    const tasks = [{ id: 1, title: 'Dig', description: 'A hole.' }];
    const agentLLMResponse = successAnswer({ tasks });
    await tool('agent_llm', { interactionId: asked.interactionId, agentLLMResponse });
    await client.waitFor(of(projectRoot, 'tasks'));
  });

  test('each kind of resource is notified when it changes, and never when another does [subscription-updated]', async () => {
    const projectRoot = await project();
    const client = await connect();
    const kinds = ['status', 'tasks', 'rules', 'files', 'files/a.md', 'tasks/1', 'complexity-report'];
    await addTask(projectRoot);
    await tool('connect_files', { projectRoot, files: [{ name: 'a.md', text: 'a' }] });
    const analysis = await tool('analyze_project_complexity', { projectRoot });
    const one = {
      taskId: 1,
      taskTitle: 'x',
      complexityScore: 7,
      recommendedSubtasks: 4,
      expansionPrompt: 'x',
      reasoning: 'x',
    };
    const analysed = successAnswer({ object: { complexityAnalysis: [one] } });
    await tool('agent_llm', { interactionId: analysis.interactionId, agentLLMResponse: analysed });
    await client.subscribe('baton://projects', ...kinds.map((kind) => of(projectRoot, kind)));
    const heardAfter = async (change: () => Promise<unknown>) => {
      await told(client);
      client.clear();
      await change();
      await told(client);
      return new Set(client.notifications.map((uri) => uri.replace(of(projectRoot, ''), '')));
    };
    expect(await heardAfter(() => addTask(projectRoot))).toEqual(
      new Set(['status', 'tasks', 'tasks/1', LIST_CHANGED]),
    );
    expect(await heardAfter(() => tool('set_rules', { projectRoot, rules: ['Water.'] }))).toEqual(
      new Set(['status', 'rules', LIST_CHANGED]),
    );
    const again = { projectRoot, files: [{ name: 'a.md', text: 'b' }] };
    expect(await heardAfter(() => tool('connect_files', again))).toEqual(
      new Set(['status', 'files', 'files/a.md']),
    );
    expect(await heardAfter(() => project())).toEqual(new Set(['baton://projects', LIST_CHANGED]));
  });

  test('a task and its request are notified from parking to the end [subscription-updated]', async () => {
    const client = await connect();
    for (const end of ['answer', 'cancel'] as const) {
      const { taskId, interactionId } = await tool('bench_echo', { text: end });
      const uris = [`baton://tasks/${taskId}`, `baton://interactions/${interactionId}`];
      await client.subscribe(...uris);
      client.clear();
      if (end === 'cancel') await tool('cancel_task', { taskId });
      else await tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'x' }) });
      for (const uri of uris) await client.waitFor(uri);
    }
  });

  test("list_changed is sent when the list changes, and never when only an entry's content does [list-changed]", async () => {
    const client = await connect();
    const listed = async (change: () => Promise<unknown>) => {
      client.clear();
      await change();
      await client.waitFor(LIST_CHANGED);
    };
    let projectRoot = '';
    await listed(async () => (projectRoot = await project()));
    await listed(() => tool('connect_files', { projectRoot, files: [{ name: 'a.md', text: 'a' }] }));
    await listed(() => tool('set_rules', { projectRoot, rules: ['Water.'] }));
    await listed(() => tool('bench_echo', { text: 'x' }));
    await addTask(projectRoot);
    await client.subscribe(of(projectRoot, 'tasks'));
    await listed(() => tool('connect_files', { projectRoot, files: [{ name: 'b.md', text: 'b' }] }));
    await told(client);
    client.clear();
    await tool('set_task_status', { projectRoot, id: '1', status: 'in-progress' });
    await told(client);
    expect(client.notifications).toEqual([of(projectRoot, 'tasks')]);
  });

  test('an unsubscribed resource is never notified [unsubscribe]', async () => {
    const projectRoot = await project();
    const client = await connect();
    await client.subscribe(of(projectRoot, 'tasks'), of(projectRoot, 'status'));
    await addTask(projectRoot);
    await client.waitFor(of(projectRoot, 'tasks'));
    await client.client.unsubscribeResource({ uri: of(projectRoot, 'tasks') });
    await client.client.unsubscribeResource({ uri: of(projectRoot, 'tasks') });
    await told(client);
    client.clear();
    await addTask(projectRoot);
    await told(client);
    expect(new Set(client.notifications)).toEqual(new Set([of(projectRoot, 'status'), LIST_CHANGED]));
  });

  test("another principal is never notified of a task, another tenant of nothing at all, and an agent of both principals' tasks [subscription-tenancy]", async () => {
    const projectRoot = await project();
    const tenant = 'other';
    const foreignKey = await baton.addTenant(tenant);
    await tool('initialize_project', { projectRoot }, foreignKey);
    const foreign = await connect(foreignKey);
    const stranger = await connect(await baton.createKey({ scopes: ['mcp'] }));
    const agent = await connect(await baton.createKey({ scopes: ['agent'] }));
    const { taskId, interactionId } = await tool('bench_echo', { text: 'x' });
    await agent.waitFor(LIST_CHANGED);
    const uri = `baton://tasks/${taskId}`;
    await agent.subscribe(uri);
    await foreign.subscribe(of(projectRoot, 'tasks'));
    await stranger.subscribe(of(projectRoot, 'tasks'));
    for (const one of [stranger, foreign])
      await expect(one.subscribe(uri)).rejects.toMatchObject({ code: -32002 });
    await expect(agent.subscribe(of(projectRoot, 'tasks'))).rejects.toThrow('lacks the scope');
    await told(stranger);
    stranger.clear();
    await tool('agent_llm', { interactionId, agentLLMResponse: successAnswer({ value: 'x' }) });
    await agent.waitFor(uri);
    // This opens a task of the other principal's too, whose list is not the stranger's.
    await addTask(projectRoot);
    await told(stranger);
    expect(stranger.notifications).toEqual([of(projectRoot, 'tasks')]);
    expect(agent.notifications).not.toContain(of(projectRoot, 'tasks'));
    expect(foreign.notifications).toEqual([]);
    await addTask(projectRoot, foreignKey);
    await foreign.waitFor(of(projectRoot, 'tasks'));
  });

  test('refuses a subscription with the error of resources/read, and without a session with a hint to initialize [subscription-refused]', async () => {
    const { sessionId } = await connect();
    const headers = { 'mcp-session-id': sessionId };
    for (const uri of ['baton://nothing', 'baton://tasks/x', 'x'.repeat(50_000), '']) {
      const [subscribed, read] = await Promise.all(
        ['resources/subscribe', 'resources/read'].map((method) =>
          rpc(method, { uri }, baton.apiKey, headers),
        ),
      );
      expect(subscribed?.body.error).toEqual(read?.body.error);
      expect(subscribed?.body.error.code).toBe(-32002);
    }
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      const { error } = (await rpc(method, { uri: 'baton://projects' })).body;
      expect([error.code, error.data.code]).toEqual([-32600, 'session_required']);
      expect(error.message).toMatch(/initialize.*Mcp-Session-Id/);
      expect((await rpc(method, { uri: 7 }, baton.apiKey, headers)).body.error.code).toBe(-32602);
    }
  });

  test('a session is refused its 101st subscription with a named error [subscription-refused]', async () => {
    const projectRoot = await project();
    const { client } = await connect();
    const uris = Array.from({ length: 101 }, (_, at) => of(projectRoot, `tasks?tag=t${at}`));
    for (const uri of uris) await tool('add_tag', { projectRoot, name: uri.split('=')[1] });
    for (const uri of uris.slice(1)) await client.subscribeResource({ uri });
    await expect(client.subscribeResource({ uri: uris[0] ?? '' })).rejects.toMatchObject({
      data: { code: 'limit_subscriptions', limit: 'subscriptions', most: 100 },
    });
    await client.subscribeResource({ uri: uris[7] ?? '' });
    await client.unsubscribeResource({ uri: uris[7] ?? '' });
    await client.subscribeResource({ uri: uris[0] ?? '' });
  });

  test('a client that reconnects at another replica is notified of everything that may have changed meanwhile [subscription-survives]', async () => {
    const projectRoot = await project();
    const gateway = await baton.addGateway();
    const routes = { posts: baton.url(0), stream: gateway.url };
    const client = await NotificationRecordingClient.connect(routes, baton.apiKey);
    open.push(client);
    await client.subscribe(of(projectRoot, 'tasks'));
    routes.stream = 'http://127.0.0.1:1';
    await gateway.stop();
    await addTask(projectRoot);
    expect(client.notifications).toEqual([]);
    routes.stream = baton.url(1);
    await client.waitFor(of(projectRoot, 'tasks'));
    await client.waitFor(LIST_CHANGED);
  });

  test('a replica that lost its connection to Redis notifies of every subscription [subscription-survives]', async () => {
    const projectRoot = await project();
    const client = await connect();
    await client.subscribe(of(projectRoot, 'rules'));
    client.clear();
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await client.waitFor(of(projectRoot, 'rules'));
    await client.waitFor(LIST_CHANGED);
    client.clear();
    await tool('set_rules', { projectRoot, rules: ['Heard again.'] });
    await client.waitFor(of(projectRoot, 'rules'));
  });

  test("changes made while a replica's registration was lost are notified once it registers again [subscription-survives]", async () => {
    const projectRoot = await project();
    const client = await connect();
    await client.subscribe(of(projectRoot, 'rules'));
    await redis.del(...(await redis.keys('*:t:acme:listeners')));
    await tool('set_rules', { projectRoot, rules: ['Unheard.'] });
    expect(client.notifications).toEqual([]);
    await client.waitFor(of(projectRoot, 'rules'));
  }, 30_000);

  test("a session's later stream replaces the earlier one, at any replica [one-stream]", async () => {
    const session = await initialize();
    const first = await stream(session, 0);
    const second = await stream(session, 1);
    // Each is at its end only when the server ends it.
    await first.text();
    const third = await stream(session, 1);
    await second.text();
    await rpc('resources/subscribe', { uri: 'baton://projects' }, baton.apiKey, {
      'mcp-session-id': session,
    });
    await project();
    let text = '';
    for await (const chunk of third.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"baton://projects"')) break;
    }
    expect(text).toContain('notifications/resources/updated');
  });

  test('the stream of a revoked key ends, and that of a suspended tenant [stream-admission]', async () => {
    const tenant = 'suspended';
    const key = await baton.addTenant(tenant);
    const operatorStore = new OperatorStore(baton.store);
    const other = await baton.createKey({}, tenant);
    const [revoked, suspended] = [
      await stream(await initialize(key), 1, key),
      await stream(await initialize(other), 1, other),
    ];
    const { apiKeys } = baton.store.tenant(tenant);
    await apiKeys.revoke(key.split('_')[2] ?? '');
    await revoked.text();
    await operatorStore.update(tenant, { suspended: true });
    await suspended.text();
    expect((await stream('any', 1, other)).status).toBe(403);
  });

  test('a drain ends the streams at once [stream-admission]', async () => {
    const gateway = await baton.addGateway();
    const client = await connect(baton.apiKey, { stream: gateway.url });
    const gone = new Promise<void>((resolve) => {
      client.transport.onerror = () => resolve();
    });
    await Promise.all([gateway.stop(), gone]);
  });

  test('tools work the same with and without a session', async () => {
    const { client } = await connect();
    const { interactionId } = await callTool(client, 'bench_echo', { text: 'x' });
    const agentLLMResponse = successAnswer({ value: 'x' });
    const { outcome } = await callTool(client, 'agent_llm', { interactionId, agentLLMResponse });
    expect(outcome.status).toBe('completed');
  });
});
