import { BATON_VERSION, BatonError, isRecord, type WireError } from '@baton/protocol';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type GetPromptRequest, type GetPromptResult, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { BatonEndpoint } from '../settings/baton-endpoint.ts';

/** Gets a prompt over MCP. Errors: BatonError as Baton says it; those of a connection that fails. */
export async function runPrompt(
  { url, key }: BatonEndpoint,
  params: GetPromptRequest['params'],
): Promise<GetPromptResult> {
  const client = new Client({ name: 'baton workflows', version: BATON_VERSION });
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  try {
    // The SDK's own type of a transport lacks `undefined` where the class has it.
    await client.connect(transport as unknown as Parameters<Client['connect']>[0]);
    return await client.getPrompt(params);
  } catch (thrown) {
    if (thrown instanceof McpError && isRecord(thrown.data)) {
      throw BatonError.fromWire(thrown.data as unknown as WireError);
    }
    throw thrown;
  } finally {
    await client.close();
  }
}
