import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { parseSseMessages } from './sse.ts';

/** A reply of any shape: a missing field reads as undefined, and the assertion on it fails. */
// oxlint-disable-next-line typescript/no-explicit-any -- replies are read as a client in JavaScript reads them
export type AnyJson = any;

/** The official SDK's client, connected to one replica; `fetch` replaces the global one. */
export async function connectMcpClient(
  url: string,
  apiKey: string,
  fetch?: StreamableHTTPClientTransportOptions['fetch'],
): Promise<Client> {
  const headers = { authorization: `Bearer ${apiKey}` };
  return connectMcpEndpoint(new URL(`${url}/mcp`), headers, fetch);
}

/** The official SDK's client at an endpoint. It validates every later result against the output schema of its tool. */
export async function connectMcpEndpoint(
  endpoint: URL,
  headers: Record<string, string>,
  fetch?: StreamableHTTPClientTransportOptions['fetch'],
): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1' });
  const transport = new StreamableHTTPClientTransport(endpoint, {
    requestInit: { headers },
    ...(fetch === undefined ? {} : { fetch }),
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  // The client validates results only of tools that it has listed.
  await client.listTools();
  return client;
}

/** A tool's structured content. */
export async function callTool(client: Client, name: string, args: object, meta?: object): Promise<AnyJson> {
  const result = await client.callTool({
    name,
    arguments: args as Record<string, unknown>,
    ...(meta ? { _meta: meta as Record<string, unknown> } : {}),
  });
  return result.structuredContent;
}

/** The error of a tool call. Errors: when the call succeeds. */
export async function callToolForError(
  client: Client,
  name: string,
  args: object,
  meta?: object,
): Promise<AnyJson> {
  const result = await client.callTool({
    name,
    arguments: args as Record<string, unknown>,
    ...(meta ? { _meta: meta as Record<string, unknown> } : {}),
  });
  if (result.isError !== true)
    throw new Error(`${name} did not fail: ${JSON.stringify(result.structuredContent)}`);
  return (result.structuredContent as AnyJson).error;
}

/** POSTs one JSON-RPC body without the SDK; a text is sent as it is. */
export async function postJsonRpc(
  url: string,
  apiKey: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: AnyJson; text: string }> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseBody(text), text };
}

/** A JSON body, or the last message of an SSE body. */
function parseBody(text: string): AnyJson {
  try {
    return text.includes('data: ') && !text.startsWith('{')
      ? parseSseMessages(text).at(-1)
      : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function successAnswer(data: unknown) {
  return { status: 'success', data };
}
