import type { AnyJson } from '../harness/mcp-client.ts';
import type { ComposeStack } from './compose-stack.ts';

/** A request to the operators' REST; throws on a refusal. */
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

/** A tenant and a key of it. */
export async function addTenant(stack: ComposeStack, id: string, limits: object = {}): Promise<string> {
  await rest(stack, '/tenants', { id, limits });
  return (await rest(stack, `/tenants/${id}/keys`, { name: 'e2e', scopes: ['mcp'] })).key;
}
