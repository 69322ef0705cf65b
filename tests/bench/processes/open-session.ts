/** A session of MCP 2025-11-25. */
export interface Session {
  readonly id: string;
  readonly key: string;
}

/** Opens a session of a client with these capabilities. */
export async function initialize(url: string, key: string, capabilities: object): Promise<Session> {
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'bench', version: '1' } };
  const reply = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  await reply.text();
  const id = reply.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session: ${reply.status}`);
  return { id, key };
}
