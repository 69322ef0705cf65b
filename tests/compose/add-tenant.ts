import type { AnyJson } from '../harness/mcp-client.ts';
import type { ComposeStack } from './compose-stack.ts';

/** A POST to the operator's REST API. Errors: for any status that is not 2xx. */
async function rest(stack: ComposeStack, path: string, body: object): Promise<AnyJson> {
  const response = await fetch(`${stack.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Creates a tenant; returns an API key. */
export async function addTenant(stack: ComposeStack, id: string, limits: object = {}): Promise<string> {
  await rest(stack, '/tenants', { id, limits });
  return (await rest(stack, `/tenants/${id}/keys`, { name: 'e2e', scopes: ['mcp'] })).key;
}
