import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** What tests read of a tool's reply. Reading a field that is missing gives undefined, and an assertion fails. */
// oxlint-disable-next-line typescript/no-explicit-any -- replies are read as a client in JavaScript reads them
export type Loose = any;

/** The official SDK's client, connected to one replica. */
export async function connect(url: string, apiKey: string): Promise<Client> {
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
export async function call(client: Client, name: string, args: object, meta?: object): Promise<Loose> {
  const result = await client.callTool({
    name,
    arguments: args as Record<string, unknown>,
    ...(meta ? { _meta: meta as Record<string, unknown> } : {}),
  });
  return result.structuredContent;
}

/** The error of a tool call that is refused, as the tool says it. */
export async function refusalOf(client: Client, name: string, args: object, meta?: object): Promise<Loose> {
  const result = await client.callTool({
    name,
    arguments: args as Record<string, unknown>,
    ...(meta ? { _meta: meta as Record<string, unknown> } : {}),
  });
  if (result.isError !== true)
    throw new Error(`${name} was not refused: ${JSON.stringify(result.structuredContent)}`);
  return (result.structuredContent as Loose).error;
}

/** One JSON-RPC request as curl would send it. */
export async function post(
  url: string,
  apiKey: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Loose; text: string }> {
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
  return { status: response.status, headers: response.headers, body: parse(text), text };
}

/** A JSON body, or the last message of an SSE body. */
function parse(text: string): Loose {
  const data = [...text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? text;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

export function answerOf(data: unknown) {
  return { status: 'success', data };
}
