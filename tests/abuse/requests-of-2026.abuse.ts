import fc from 'fast-check';
import { afterAll, beforeAll, test } from 'vitest';
import type { AnyJson } from '../harness/mcp-client.ts';
import { AbuseEnvironment, mcpHeaders } from './environment/abuse-environment.ts';
import { parseJsonRpcMessages, sendRawRequest, type RawRequest } from './environment/raw-http.ts';
import { checkProperty } from './inputs/property-check.ts';
import { unusualValues } from './inputs/schema-arbitraries.ts';
import { McpReplyChecker } from './reply-checker.ts';
import { listTools } from './tool-calls.ts';

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const ANSWER = { role: 'assistant', model: 'm', content: { type: 'text', text: '{"tasks":[]}' } };
const PRD = { prd: 'A shop', append: true, projectRoot: 'demo' };

let environment: AbuseEnvironment;
let assertions: McpReplyChecker;
/** What a call was given to be repeated with, and the key that it asks under. */
let begun: { readonly requestState: string; readonly key: string };
/** A task that asks. */
let task: { readonly id: string; readonly key: string };

beforeAll(async () => {
  environment = await AbuseEnvironment.start();
  assertions = new McpReplyChecker(await listTools(environment.gateway));
  const call = { name: 'parse_prd', arguments: PRD };
  const { requestState, inputRequests } = await resultOf('tools/call', call, { sampling: {} });
  begun = { requestState, key: Object.keys(inputRequests)[0] ?? '' };
  const { taskId } = await resultOf('tools/call', call, { sampling: {}, ...TASKS });
  const asked = await resultOf('tasks/get', { taskId }, { sampling: {}, ...TASKS });
  task = { id: taskId, key: Object.keys(asked.inputRequests)[0] ?? '' };
});
afterAll(() => environment?.stop());

async function resultOf(method: string, params: AnyJson, capabilities: object): Promise<AnyJson> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const sent = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
  const reply = await sendRawRequest(environment.gateway.url, requestOf(sent), 30_000);
  return parseJsonRpcMessages(reply)?.at(-1)?.result ?? Promise.reject(new Error(reply.text));
}

/** With the headers that repeat what its body has, as far as headers can. */
function requestOf(message: AnyJson): RawRequest {
  const { name, uri, taskId } = message.params ?? {};
  const named = [name, uri, taskId].find((one) => typeof one === 'string' && /^[!-~]{1,200}$/.test(one));
  return {
    method: 'POST',
    path: '/mcp',
    headers: [
      ...mcpHeaders(environment.gateway.keys.mcp),
      ['mcp-protocol-version', '2026-07-28'],
      ['mcp-method', message.method],
      ...(named === undefined ? [] : [['mcp-name', named] as const]),
    ],
    body: JSON.stringify(message),
    isEndless: message.method === 'subscriptions/listen',
  };
}

const METHODS = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'resources/read',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
  'server/discover',
  'subscriptions/listen',
  'ping',
  'x',
];

const usually = (weight: number, ...values: readonly unknown[]) =>
  fc.oneof({ weight, arbitrary: fc.constantFrom(...values) }, unusualValues);

const capabilities = usually(
  6,
  {},
  TASKS,
  { sampling: {} },
  { sampling: { tools: {} }, elicitation: {}, roots: {} },
  { sampling: {}, elicitation: { url: {} }, ...TASKS },
);

const meta = fc.record(
  {
    'io.modelcontextprotocol/protocolVersion': usually(19, '2026-07-28'),
    'io.modelcontextprotocol/clientInfo': usually(9, { name: 'x', version: '1' }),
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/logLevel': usually(2, 'debug', 'error'),
    'baton/dialect': usually(2, 'tool', 'task', 'input_required', 'sampling'),
    progressToken: usually(2, 1, 'p'),
    traceparent: unusualValues,
  },
  {
    requiredKeys: [
      'io.modelcontextprotocol/protocolVersion',
      'io.modelcontextprotocol/clientInfo',
      'io.modelcontextprotocol/clientCapabilities',
    ],
  },
);

const response = usually(
  2,
  ANSWER,
  { action: 'accept', content: { a: 1 } },
  { action: 'decline' },
  { roots: [] },
  { ...ANSWER, content: [ANSWER.content] },
);

/** Placeholders are replaced by what the run has. */
const inputResponses = fc.oneof(
  fc.dictionary(fc.constantFrom('@begun', '@task', 'x', '__proto__', ''), response, { maxKeys: 3 }),
  unusualValues,
);

const params = fc.record(
  {
    name: usually(4, 'parse_prd', 'get_tasks', 'task_status', 'agent_llm', 'expand_task'),
    arguments: usually(4, PRD, {}, { taskId: '@id' }),
    taskId: usually(6, '@id', '@key', 'f81d4fae-7dec-81d0-a765-00a0c91e0000'),
    requestState: usually(4, '@state', '@tampered', '@cut', 'x'.repeat(70_000)),
    inputResponses,
    task: unusualValues,
    notifications: fc.oneof(
      fc.record(
        {
          toolsListChanged: usually(2, true, false),
          resourceSubscriptions: usually(2, ['baton://projects'], ['x'], Array.from({ length: 101 }, String)),
          taskIds: usually(2, ['@id'], ['x'], []),
        },
        { requiredKeys: [] },
      ),
      unusualValues,
    ),
    uri: usually(2, 'baton://projects', 'baton://tasks/@id'),
    cursor: unusualValues,
    ref: usually(2, { type: 'ref/prompt', name: 'parse_prd' }),
    argument: usually(2, { name: 'project', value: '' }),
    result: unusualValues,
  },
  { requiredKeys: [] },
);

test('any request of 2026-07-28 gets a valid reply', async () => {
  const request = fc.record({ method: fc.constantFrom(...METHODS), params, meta });
  await checkProperty(
    'requests of 2026',
    request,
    async ({ method, params: given, meta: _meta }) => {
      const { requestState, key } = begun;
      const values: Readonly<Record<string, string>> = {
        '@begun': key,
        '@task': task.key,
        '@id': task.id,
        '@key': task.key,
        '@state': requestState,
        '@tampered': `${requestState.slice(0, -3)}AAA`,
        '@cut': requestState.slice(0, 40),
      };
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...given, _meta } });
      const message = JSON.parse(text.replaceAll(/@[a-z]+/g, (name) => values[name] ?? name));
      const sent = requestOf(message);
      // A call of this dialect is held for as long as its work asks nothing.
      const { reply, faults } = await environment.send(environment.gateway, sent, 25_000);
      return [...faults, ...assertions.findFaults(reply, message)];
    },
    10,
  );
  await environment.runCanary();
});
