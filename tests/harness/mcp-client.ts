import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What tests read of a tool's reply. Reading a field that is missing gives undefined, and an assertion fails. */
// oxlint-disable-next-line typescript/no-explicit-any -- replies are read as a client in JavaScript reads them
export type AnyJson = any;

/** The official SDK's client, connected to one replica. */
export async function connectMcpClient(url: string, apiKey: string): Promise<Client> {
  const client = new Client({ name: 'tests', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  // From here on the client holds every result against the output schema of its tool.
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

/** The error of a tool call that is refused, as the tool says it. */
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
    throw new Error(`${name} was not refused: ${JSON.stringify(result.structuredContent)}`);
  return (result.structuredContent as AnyJson).error;
}

/** One JSON-RPC request as curl would send it. */
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
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseBody(text), text };
}

/** A JSON body, or the last message of an SSE body. */
function parseBody(text: string): AnyJson {
  const data = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? text;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

export function successAnswer(data: unknown) {
  return { status: 'success', data };
}
