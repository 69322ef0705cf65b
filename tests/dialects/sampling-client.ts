import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AnyJson } from '../harness/mcp-client.ts';

/** What a client's model answers to params of `sampling/createMessage`. */
export type SamplingModel = (params: AnyJson) => AnyJson;

/** A result of `sampling/createMessage` in words, or JSON. */
export function sampled(value: unknown): AnyJson {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { role: 'assistant', model: 'test-model', content: { type: 'text', text } };
}

/** The official client of the second generation, which answers what it is asked within its calls by itself. */
export async function connectSamplingClient(
  url: string,
  key: string,
  mode: 'auto' | 'legacy' | { pin: string },
  model: SamplingModel,
  sampling: object = {},
): Promise<Client> {
  const client = new Client(
    { name: 'sampling', version: '1' },
    { versionNegotiation: { mode }, capabilities: { sampling } },
  );
  client.setRequestHandler('sampling/createMessage', async ({ params }) => model(params));
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
}
