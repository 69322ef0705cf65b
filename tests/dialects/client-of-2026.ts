import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AnyJson } from '../harness/mcp-client.ts';
import { postJsonRpc } from '../harness/mcp-client.ts';

export const REVISION = '2026-07-28';

/** What `_meta` of each request says (MCP 2026-07-28, basic). */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const NAME_FIELDS: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The extension by which a call's result may be a task. */
export const TASKS = 'io.modelcontextprotocol/tasks';

/** `_meta` of a client with these capabilities. */
export const metaWith = (capabilities: object, more: object = {}) => ({
  ...ENVELOPE,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  ...more,
});

/** The official client of the second generation; `mode`: how it finds its revision. */
export async function connectSecondClient(
  url: string,
  key: string,
  mode: 'legacy' | 'auto' | { pin: string },
): Promise<Client> {
  const client = new Client({ name: 'second', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}

/** The headers that repeat a request's body. */
export function standardHeaders(method: string, params: AnyJson = {}): Record<string, string> {
  const field = NAME_FIELDS[method];
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(field !== undefined && { 'mcp-name': String(params[field]) }),
  };
}

/** One request of the revision, without an SDK. */
export function requestOf2026(
  url: string,
  key: string,
  method: string,
  params: AnyJson = {},
  { headers = {}, meta = ENVELOPE }: { headers?: Record<string, string>; meta?: object | undefined } = {},
) {
  const body = { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: { ...params._meta, ...meta } } };
  return postJsonRpc(url, key, body, { ...standardHeaders(method, params), ...headers });
}
