import { startPrivateRedis } from '@baton/local-redis';
import { toolOperations } from '@baton/operations';
import { CallerSchemaValidator, Programs } from '@baton/runner';
import { Store } from '@baton/store';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InflightWaits } from './call/inflight-waits.ts';
import { installCredentialParser } from './edge/credential.ts';
import { requireDeclaredAccess, type RouteAccess } from './edge/route-access.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { createServerOf2025, METHODS_OF_2025 } from './mcp/v2025/server.ts';
import { RequestStates } from './mcp/v2026/input-required/request-states.ts';
import { createServerOf2026, methodsOf2026 } from './mcp/v2026/server.ts';
import { taskMethodsOf2026 } from './mcp/v2026/tasks/task-methods.ts';
import { resourceKinds } from './resources/catalog.ts';
import { restRoutes } from './rest/index.ts';
import { SessionTokens } from './sessions/session-tokens.ts';
import { StreamRegistry } from './subscriptions/stream-registry.ts';
import { allTools } from './prompts/all-tools.ts';
import type { Access } from './call/call.ts';

/** Everything that the gateway registers, and who may use it. Whatever is added belongs here too. */
const tools = allTools(toolOperations);
let store: Store;
let stopRedis: () => Promise<void>;

beforeAll(async () => {
  const redis = await startPrivateRedis();
  stopRedis = redis.stop;
  store = await Store.open({ url: redis.url, secret: 'pepper', replica: 'replica-1' });
});
afterAll(async () => {
  await store?.close();
  await stopRedis?.();
});

const text = ({ scopes, admittedBy }: Access) => `${scopes.join(' or ')}, ${admittedBy}`;

test('every tool declares its access: toolOperations are admitted by the script that opens their task', () => {
  const declared = Object.fromEntries([...tools.values()].map(({ name, access }) => [name, text(access)]));
  const { agent_llm, ...others } = declared;
  expect(agent_llm).toBe('mcp or agent, script');
  const forAgents = new Set([
    'pending_interactions',
    'task_status',
    'cancel_task',
    'complete_task',
    'retry_task',
    'list_conversations',
    'get_conversation',
    'delete_conversation',
  ]);
  for (const [name, access] of Object.entries(others)) {
    const scopes = forAgents.has(name) ? 'mcp or agent' : 'mcp';
    expect([name, access]).toEqual([name, `${scopes}, ${toolOperations.has(name) ? 'script' : 'edge'}`]);
  }
  expect([...toolOperations.keys()].filter((name) => !(name in others))).toEqual([]);
});

test('every kind of resource declares its access, and only what is of tasks or of nobody is for agents too', () => {
  const declared = resourceKinds.map(({ name, access }) => [name, text(access)]);
  const forAgents = new Set(['delegated-task', 'interaction', 'prompt']);
  for (const [name = '', access] of declared)
    expect([name, access]).toEqual([name, forAgents.has(name) ? 'mcp or agent, edge' : 'mcp, edge']);
});

test("a server answers for no method but those that declare their access, and the SDK's own", () => {
  const [of2025, of2026] = [METHODS_OF_2025, methodsOf2026(new RequestStates(store))];
  const undeclared = (server: unknown, declared: typeof of2025) => {
    const registered = [...(server as { _requestHandlers: Map<string, unknown> })._requestHandlers.keys()];
    return registered.filter((name) => !declared.some((method) => method.name === name)).toSorted();
  };
  expect(undeclared(createServerOf2025(of2025, true), of2025)).toEqual(['initialize', 'ping']);
  expect(undeclared(createServerOf2026(of2026), of2026)).toEqual([
    'initialize',
    'logging/setLevel',
    'ping',
    'server/discover',
  ]);
  const accesses = (all: readonly Pick<(typeof of2025)[number], 'name' | 'access'>[]) =>
    Object.fromEntries(all.map(({ name, access }) => [name, text(access)]));
  expect(accesses(of2025)).toMatchObject(accesses(of2026));
  expect(accesses(taskMethodsOf2026)).toEqual({
    'tasks/get': 'mcp or agent, script',
    'tasks/update': 'mcp or agent, script',
    'tasks/cancel': 'mcp or agent, edge',
  });
  expect(accesses(of2025)).toEqual({
    'tools/list': 'mcp or agent, edge',
    'tools/call': 'mcp or agent, script',
    'prompts/list': 'mcp, edge',
    'prompts/get': 'mcp, edge',
    'resources/list': 'mcp or agent, edge',
    'resources/read': 'mcp or agent, edge',
    'resources/templates/list': 'mcp or agent, edge',
    'resources/subscribe': 'mcp or agent, edge',
    'resources/unsubscribe': 'mcp or agent, edge',
    'completion/complete': 'mcp or agent, edge',
    'logging/setLevel': 'mcp or agent, edge',
    'tasks/get': 'mcp or agent, edge',
    'tasks/list': 'mcp or agent, edge',
    'tasks/cancel': 'mcp or agent, edge',
  });
});

const routeText = (access: RouteAccess | undefined) => {
  if (access === undefined) return 'anyone';
  switch (access.kind) {
    case 'operator':
      return 'operator';
    case 'key':
      return text(access);
    case 'path':
      return `operator, or admin with ${access.scopes.join(' or ')}`;
  }
};

test('every route of MCP and REST declares its access', async () => {
  const app = Fastify({ exposeHeadRoutes: false }) as unknown as FastifyInstance;
  requireDeclaredAccess(app);
  const declared: Record<string, string> = {};
  app.addHook('onRoute', ({ method, url, config }) => {
    declared[`${String(method)} ${url}`] = routeText(config?.access);
  });
  installCredentialParser(app, undefined);
  const services = {
    store,
    programs: new Programs(),
    answerValidator: new CallerSchemaValidator(),
    operations: toolOperations,
    tools,
    log: () => {},
    inflightWaits: new InflightWaits(),
  };
  app.addHook('onClose', () => services.answerValidator.close());
  const sessions = new SessionTokens(store);
  const streams = new StreamRegistry(sessions);
  await app.register(mcpRoutes, { services, sessions, streams });
  const rest = { services, streams, forOperators: true };
  await app.register(restRoutes, { prefix: '/v1', ...rest });
  await app.ready();
  await app.close();
  const SEE = 'mcp or agent or admin, edge';
  const SEE_IN_PATH = 'operator, or admin with mcp or agent or admin';
  const USE_IN_PATH = 'operator, or admin with mcp or admin';
  const ADMIN = 'operator, or admin with admin';
  const toolRoutes = [...tools.values()].flatMap(({ name, access }) => [
    [`POST /v1/tools/${name}`, text(access)],
    [`POST /v1/tenants/:tenant/tools/${name}`, `operator, or admin with ${access.scopes.join(' or ')}`],
  ]);
  const ANY = 'mcp or agent, edge';
  const ANY_IN_PATH = 'operator, or admin with mcp or agent';
  expect(declared).toEqual({
    ...Object.fromEntries(toolRoutes),
    'POST /v1/tools/:name': ANY,
    'GET /v1/tools': ANY,
    'GET /v1/resources': ANY,
    'GET /v1/resources/:uri': ANY,
    'GET /v1/resource-templates': ANY,
    'POST /v1/completions': ANY,
    'GET /v1/events': SEE,
    'GET /v1/tenants/:tenant/events': SEE_IN_PATH,
    'GET /v1/runnable-prompts': 'mcp, edge',
    'GET /v1/tenants/:tenant/runnable-prompts': 'operator, or admin with mcp',
    'POST /v1/prompts/:name': 'mcp, edge',
    'POST /v1/tenants/:tenant/tools/:name': ANY_IN_PATH,
    'GET /v1/tenants/:tenant/tools': ANY_IN_PATH,
    'GET /v1/tenants/:tenant/resources': ANY_IN_PATH,
    'GET /v1/tenants/:tenant/resources/:uri': ANY_IN_PATH,
    'GET /v1/tenants/:tenant/resource-templates': ANY_IN_PATH,
    'POST /v1/tenants/:tenant/completions': ANY_IN_PATH,
    'POST /v1/tenants/:tenant/prompts/:name': 'operator, or admin with mcp',
    'POST /mcp': 'mcp or agent, script',
    'GET /mcp': 'mcp or agent, edge',
    'DELETE /mcp': 'mcp or agent, edge',
    'HEAD,PUT,PATCH,OPTIONS /mcp': 'anyone',
    'GET /v1/openapi.json': 'anyone',
    'GET /v1/status': 'operator',
    'GET /v1/failed-jobs': 'operator',
    'POST /v1/tenants': 'operator',
    'GET /v1/tenants': 'operator',
    'GET /v1/tenants/:tenant': 'operator',
    'PATCH /v1/tenants/:tenant': 'operator',
    'DELETE /v1/tenants/:tenant': 'operator',
    'POST /v1/tenants/:tenant/keys': ADMIN,
    'GET /v1/tenants/:tenant/keys': ADMIN,
    'PATCH /v1/tenants/:tenant/keys/:id': ADMIN,
    'POST /v1/tenants/:tenant/keys/:id/rotate': ADMIN,
    'DELETE /v1/tenants/:tenant/keys/:id': ADMIN,
    'GET /v1/key': SEE,
    'GET /v1/interactions': SEE,
    'GET /v1/interactions/:id': SEE,
    'POST /v1/interactions/:id/answer': 'mcp or agent, script',
    'POST /v1/interactions/:id/cancel': SEE,
    'POST /v1/interactions/:id/extend': SEE,
    'GET /v1/tasks': SEE,
    'GET /v1/tasks/:id': SEE,
    'POST /v1/tasks/:id/cancel': SEE,
    'POST /v1/tasks/:id/retry': SEE,
    'POST /v1/tasks/retry': SEE,
    'GET /v1/conversations': SEE,
    'GET /v1/conversations/:id': SEE,
    'DELETE /v1/conversations/:id': SEE,
    'DELETE /v1/projects/:id': 'mcp or admin, edge',
    'GET /v1/projects': 'mcp or admin, edge',
    'GET /v1/projects/:id': 'mcp or admin, edge',
    'PUT /v1/projects/:id': 'mcp or admin, edge',
    'GET /v1/roles': 'admin, edge',
    'GET /v1/roles/:role': 'admin, edge',
    'PUT /v1/roles/:role': 'admin, edge',
    'DELETE /v1/roles/:role': 'admin, edge',
    'GET /v1/audit': 'admin, edge',
    'GET /v1/usage': 'admin, edge',
    'GET /v1/prices': 'admin, edge',
    'PUT /v1/prices': 'admin, edge',
    'GET /v1/workflows': 'mcp or admin, edge',
    'GET /v1/workflows/:name': 'mcp or admin, edge',
    'GET /v1/workflows/:name/history': 'mcp or admin, edge',
    'PUT /v1/workflows/:name': 'admin, edge',
    'DELETE /v1/workflows/:name': 'admin, edge',
    'GET /v1/agents': 'mcp or admin, edge',
    'GET /v1/agents/:id': 'mcp or admin, edge',
    'GET /v1/agents/:id/history': 'mcp or admin, edge',
    'PUT /v1/agents/:id': 'admin, edge',
    'DELETE /v1/agents/:id': 'admin, edge',
    'GET /v1/prompts': 'mcp or admin, edge',
    'GET /v1/prompts/:name': 'mcp or admin, edge',
    'GET /v1/prompts/:name/history': 'mcp or admin, edge',
    'PUT /v1/prompts/:name': 'admin, edge',
    'DELETE /v1/prompts/:name': 'admin, edge',
    'POST /v1/agents/:id/enable': 'admin, edge',
    'POST /v1/agents/:id/disable': 'admin, edge',
    'POST /v1/agents/:id/primary': 'admin, edge',
    'GET /v1/tenants/:tenant/interactions': SEE_IN_PATH,
    'GET /v1/tenants/:tenant/interactions/:id': SEE_IN_PATH,
    'POST /v1/tenants/:tenant/interactions/:id/answer': 'operator, or admin with mcp or agent',
    'POST /v1/tenants/:tenant/interactions/:id/cancel': SEE_IN_PATH,
    'POST /v1/tenants/:tenant/interactions/:id/extend': SEE_IN_PATH,
    'GET /v1/tenants/:tenant/tasks': SEE_IN_PATH,
    'GET /v1/tenants/:tenant/tasks/:id': SEE_IN_PATH,
    'POST /v1/tenants/:tenant/tasks/:id/cancel': SEE_IN_PATH,
    'POST /v1/tenants/:tenant/tasks/:id/retry': SEE_IN_PATH,
    'POST /v1/tenants/:tenant/tasks/retry': SEE_IN_PATH,
    'GET /v1/tenants/:tenant/conversations': SEE_IN_PATH,
    'GET /v1/tenants/:tenant/conversations/:id': SEE_IN_PATH,
    'DELETE /v1/tenants/:tenant/conversations/:id': SEE_IN_PATH,
    'DELETE /v1/tenants/:tenant/projects/:id': 'operator, or admin with mcp or admin',
    'GET /v1/tenants/:tenant/projects': USE_IN_PATH,
    'GET /v1/tenants/:tenant/projects/:id': USE_IN_PATH,
    'PUT /v1/tenants/:tenant/projects/:id': USE_IN_PATH,
    'GET /v1/tenants/:tenant/roles': ADMIN,
    'GET /v1/tenants/:tenant/roles/:role': ADMIN,
    'PUT /v1/tenants/:tenant/roles/:role': ADMIN,
    'DELETE /v1/tenants/:tenant/roles/:role': ADMIN,
    'GET /v1/tenants/:tenant/audit': ADMIN,
    'GET /v1/tenants/:tenant/usage': ADMIN,
    'GET /v1/tenants/:tenant/prices': ADMIN,
    'PUT /v1/tenants/:tenant/prices': ADMIN,
    'GET /v1/tenants/:tenant/workflows': USE_IN_PATH,
    'GET /v1/tenants/:tenant/workflows/:name': USE_IN_PATH,
    'GET /v1/tenants/:tenant/workflows/:name/history': USE_IN_PATH,
    'PUT /v1/tenants/:tenant/workflows/:name': ADMIN,
    'DELETE /v1/tenants/:tenant/workflows/:name': ADMIN,
    'GET /v1/tenants/:tenant/agents': USE_IN_PATH,
    'GET /v1/tenants/:tenant/agents/:id': USE_IN_PATH,
    'GET /v1/tenants/:tenant/agents/:id/history': USE_IN_PATH,
    'PUT /v1/tenants/:tenant/agents/:id': ADMIN,
    'DELETE /v1/tenants/:tenant/agents/:id': ADMIN,
    'GET /v1/tenants/:tenant/prompts': USE_IN_PATH,
    'GET /v1/tenants/:tenant/prompts/:name': USE_IN_PATH,
    'GET /v1/tenants/:tenant/prompts/:name/history': USE_IN_PATH,
    'PUT /v1/tenants/:tenant/prompts/:name': ADMIN,
    'DELETE /v1/tenants/:tenant/prompts/:name': ADMIN,
    'POST /v1/tenants/:tenant/agents/:id/enable': ADMIN,
    'POST /v1/tenants/:tenant/agents/:id/disable': ADMIN,
    'POST /v1/tenants/:tenant/agents/:id/primary': ADMIN,
  });
});

test('a route that declares no access keeps the gateway from starting', () => {
  const app = Fastify({ exposeHeadRoutes: false }) as unknown as FastifyInstance;
  requireDeclaredAccess(app);
  expect(() => app.get('/forgotten', async () => 'x')).toThrow('declares no access');
  expect(() => app.get('/open', { config: { isPublic: true } }, async () => 'x')).not.toThrow();
});
