import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import { OPERATOR_TOKEN } from '../harness/in-process-deployment.ts';
import { unusualValues } from './inputs/schema-arbitraries.ts';
import { findRestFaults, McpReplyChecker } from './reply-checker.ts';
import { checkProperty } from './inputs/property-check.ts';
import { mcpHeaders, AbuseEnvironment, type GatewayUnderTest } from './environment/abuse-environment.ts';
import { listTools } from './tool-calls.ts';

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  assertions = new McpReplyChecker(await listTools(environment.gateway));
});
afterAll(() => environment?.stop());

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/cancel',
  'tasks/update',
  'server/discover',
  'subscriptions/listen',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'rpc.discover',
  'constructor',
  '__proto__',
  'toString',
  '',
  ' ',
  'tools/call\u0000',
  'x'.repeat(100_000),
];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(1, 'one') },
  fc.constantFrom<unknown>(
    0,
    -1,
    1.5,
    1e300,
    2 ** 53,
    '',
    'x'.repeat(100_000),
    '\u0000',
    '\ud800',
    null,
    true,
    [],
    {},
    [1],
    { id: 1 },
    'constructor',
  ),
);

const meta = fc.record(
  {
    progressToken: fc.oneof(fc.constantFrom<unknown>(1, 'p', '', 'x'.repeat(50_000), 1e300), unusualValues),
    'baton/idempotencyKey': fc.oneof(
      fc.constantFrom<unknown>('k', '', 'x'.repeat(201), 'x'.repeat(200)),
      unusualValues,
    ),
    'baton/dialect': fc.oneof(fc.constantFrom<unknown>('sampling', 'tool', 'none'), unusualValues),
    'io.modelcontextprotocol/related-task': fc.oneof(
      fc.constantFrom<unknown>({ taskId: 'x' }, { taskId: 7 }),
      unusualValues,
    ),
    _task_id: unusualValues,
    'io.modelcontextprotocol/protocol-version': unusualValues,
  },
  { requiredKeys: [] },
);

const variable = fc.constantFrom('project', 'tag', 'id', 'name', 'taskId', 'operation', '__proto__', 'x');
const template = fc.constantFrom(
  'baton://projects/{project}/tasks/{id}{?tag}',
  'baton://projects/{project}/tasks/{id}/attachments/{n}{?tag}',
  'baton://projects/{project}/files/{name}',
  'baton://tasks/{taskId}',
  'baton://interactions/{id}',
  'baton://prompts/{operation}',
  'baton://projects',
  'baton://{x}',
);
const uri = fc
  .tuple(
    template,
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('%ZZ', '%00', '..', '', '1', '1.1')),
  )
  .map(([text, value]) => text.replace('{?tag}', '?tag={tag}').replaceAll(/\{\w+\}/g, value));

const params = fc.oneof(
  fc.record(
    {
      name: fc.oneof(
        {
          weight: 3,
          arbitrary: fc.constantFrom<unknown>('get_tasks', 'parse_prd', 'task_status', 'agent_llm'),
        },
        unusualValues,
      ),
      arguments: fc.oneof(
        fc.constantFrom<unknown>({}, { prd: 'x', force: true }, { taskId: 'x' }),
        unusualValues,
      ),
      _meta: fc.oneof({ weight: 3, arbitrary: meta }, unusualValues),
      task: unusualValues,
      cursor: fc.oneof(fc.constantFrom<unknown>('WzAsIngiXQ', 'WzEsIngiXQ', 'WzksbnVsbF0'), unusualValues),
      uri: fc.oneof(uri, unusualValues),
      ref: fc.oneof(fc.record({ type: fc.constant('ref/resource'), uri: template }), unusualValues),
      argument: fc.oneof(fc.record({ name: variable, value: fc.string() }), unusualValues),
      context: fc.oneof(fc.record({ arguments: fc.dictionary(variable, fc.string()) }), unusualValues),
      protocolVersion: fc.oneof(fc.constantFrom<unknown>('2025-06-18', '2026-07-28', '1', ''), unusualValues),
      capabilities: unusualValues,
      clientInfo: unusualValues,
    },
    { requiredKeys: [] },
  ),
  unusualValues,
);

const envelope = fc
  .record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>('2.0') }, unusualValues),
      id,
      method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...METHODS) }, unusualValues),
      params,
      result: unusualValues,
      error: unusualValues,
      surprise: unusualValues,
    },
    { requiredKeys: ['jsonrpc'] },
  )
  .map((all) => {
    // Most are requests; a result beside a method is a rare kind of wrong.
    const { result, error, surprise, ...request } = all;
    return surprise === null ? all : result === '' ? { ...request, error } : request;
  });

async function faultsOf(
  body: string,
  sent: unknown,
  headersOf: (gateway: GatewayUnderTest) => [string, string][],
): Promise<string[]> {
  const { gateway } = environment;
  const request = { method: 'POST', path: '/mcp', headers: headersOf(gateway), body };
  const { reply, faults } = await environment.send(gateway, request, 0);
  const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
  return [...faults, ...assertions.findFaults(reply, sent), ...leaks];
}

/** The id that an answer must carry: of a request whose id is one. */
function answerable(message: object): unknown {
  const { id: given } = message as { id?: unknown };
  const isOne = typeof given === 'string' || (typeof given === 'number' && Number.isSafeInteger(given));
  return isOne ? message : undefined;
}

test('any JSON-RPC message gets a valid reply', async () => {
  await checkProperty(
    'envelopes',
    envelope,
    (message) =>
      faultsOf(JSON.stringify(message), answerable(message), (gateway) => mcpHeaders(gateway.keys.mcp)),
    5,
  );
  await environment.runCanary();
});

test('any resource URI, template variable and cursor gets a valid reply', async () => {
  const request = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.constant(1),
    method: fc.constantFrom(...METHODS.filter((method) => /^(resources|completion)/.test(method))),
    params,
  });
  await checkProperty(
    'resources',
    request,
    (message) => faultsOf(JSON.stringify(message), message, (gateway) => mcpHeaders(gateway.keys.mcp)),
    10,
  );
  await environment.runCanary();
});

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'mcp-protocol-version': [
    '2025-06-18',
    '2024-11-05',
    '2026-07-28',
    '1',
    '',
    'x'.repeat(5_000),
    '2025-06-18, 2025-03-26',
    '\u00ff',
  ],
  'mcp-session-id': ['x', '', 'x'.repeat(5_000), '../..', '\u00e9'],
  'mcp-method': ['tools/list', 'x', ''],
  'mcp-name': ['x'],
  'last-event-id': ['0', 'x'.repeat(1_000)],
  accept: [
    '*/*',
    'application/json',
    'text/event-stream',
    'text/html',
    '',
    'application/json;q=0, text/event-stream',
    ','.repeat(5_000),
  ],
  origin: [
    'null',
    'http://evil.example',
    'https://app.example',
    'x',
    '',
    'http://127.0.0.1',
    'http://[::1',
    'javascript:alert(1)',
  ],
  'content-type': [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/plain',
    'application/json;'.repeat(200),
  ],
  host: ['x', '', 'a b', 'localhost:99999', '[::1]', 'x'.repeat(3_000)],
  'x-forwarded-for': ['1.1.1.1', 'x'.repeat(2_000)],
  expect: ['100-continue', '200-ok'],
  'transfer-encoding': ['identity', 'chunked, gzip'],
  upgrade: ['websocket', 'h2c'],
  'idempotency-key': ['x'],
  cookie: ['a=b'],
  __proto__: ['x'],
  'bad header': ['x'],
};

/** Valid and malformed credentials; `KEY` and `OPERATOR` are replaced by real ones, which no reply may contain. */
const CREDENTIALS = [
  'Bearer KEY',
  'bearer KEY',
  'Bearer  KEY',
  'Bearer KEY ',
  'Bearer KEY KEY',
  'Bearer',
  'Bearer ',
  'KEY',
  'Basic KEY',
  'Token KEY',
  'Bearer KEYx',
  'Bearer xKEY',
  'Bearer "KEY"',
  'Bearer OPERATOR',
  'Basic OPERATOR',
  'Bearer OPERATORx',
  'Bearer bt_',
  'Bearer bt_acme_x_y',
  `Bearer ${'x'.repeat(10_000)}`,
  'Bearer \u00ff\u00fe',
  'Bearer bt_../..',
  'Bearer null',
  '',
];

const header = fc
  .constantFrom(...Object.keys(HEADERS))
  .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...(HEADERS[name] ?? ['']))));

const hostileHeaders = fc.record({
  credentials: fc.array(fc.constantFrom(...CREDENTIALS), { minLength: 0, maxLength: 2 }),
  more: fc.array(header, { maxLength: 4 }),
  body: fc.constantFrom('tools/list', 'ping', 'initialize'),
});

test('any headers get a valid reply, which never leaks a credential', async () => {
  await checkProperty(
    'headers',
    hostileHeaders,
    async ({ credentials, more, body }) => {
      const params =
        body === 'initialize'
          ? { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
          : {};
      const message = { jsonrpc: '2.0', id: 1, method: body, params };
      const given = new Set(more.map(([name]) => name));
      const usual = mcpHeaders('').filter(([name]) => name !== 'authorization' && !given.has(name));
      return faultsOf(JSON.stringify(message), undefined, (gateway) => [
        ...usual,
        ...credentials.map((text): [string, string] => [
          'authorization',
          text.replaceAll('KEY', gateway.keys.mcp).replaceAll('OPERATOR', OPERATOR_TOKEN),
        ]),
        ...more,
      ]);
    },
    5,
  );
  await environment.runCanary();
});

test('any headers of a REST request get a valid reply, which never leaks a credential', async () => {
  const { gateway } = environment;
  await checkProperty('REST headers', hostileHeaders, async ({ credentials, more }) => {
    const shown = credentials.map((text): [string, string] => [
      'authorization',
      text.replaceAll('KEY', gateway.keys.admin).replaceAll('OPERATOR', OPERATOR_TOKEN),
    ]);
    const { reply, faults } = await environment.send(gateway, {
      method: 'GET',
      path: '/v1/tasks',
      headers: [...shown, ...more],
    });
    const leaks = environment.secrets.findLeaks(reply).map((secret) => `it leaks ${secret}`);
    return [...faults, ...findRestFaults(reply, () => {}), ...leaks];
  });
  await environment.runCanary();
});
