import type { AttackedDeployment } from '../../target/attacked-deployment.ts';

export const ENDPOINT_KEY = 'sk-stored-key-that-nobody-may-see';

/** A tenant of its own whose role `main` asks an endpoint; returns a key of scopes `mcp` and `admin`. */
export async function createEndpointTenant(target: AttackedDeployment, baseUrl: string): Promise<string> {
  const { key } = await target.createKey(await target.createTenant(), { scopes: ['mcp', 'admin'] });
  const route = { kind: 'openai', baseUrl, modelId: 'm', apiKey: ENDPOINT_KEY, timeoutMs: 600_000 };
  const { status, text } = await target.send('PUT', '/v1/roles/main', { key, body: { routes: [route] } });
  if (status !== 200) throw new Error(text);
  return key;
}

/** Makes a call to an endpoint; returns the type of its error, or its status. */
export async function callEndpoint(target: AttackedDeployment, baseUrl: string): Promise<string> {
  const key = await createEndpointTenant(target, baseUrl);
  const { content, text } = await target.callTool(key, 'bench_echo', { text: 'x' });
  return content?.error?.errorDetails?.type ?? content?.status ?? text.slice(0, 500);
}
