import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  PromptListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/**
 * A client whose stream is open: it begins with what may have changed before, which has come by then. `next` resolves with the next
 * notification of the schema.
 */
export async function connectNotifiedClient(
  url: string,
  key: string,
  schema: typeof PromptListChangedNotificationSchema | typeof ToolListChangedNotificationSchema,
): Promise<{ client: Client; next: () => Promise<void> }> {
  const client = new Client({ name: 'tests', version: '1' });
  let onHeard = () => {};
  const next = () => new Promise<void>((resolve) => (onHeard = resolve));
  const opened = next();
  client.setNotificationHandler(schema, () => onHeard());
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  await opened;
  return { client, next };
}
