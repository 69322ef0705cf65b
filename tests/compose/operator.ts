import type { Loose } from '../harness/client.ts';
import type { Stack } from './stack.ts';

/** A request to the operators' REST; throws on a refusal. */
async function rest(stack: Stack, path: string, body: object): Promise<Loose> {
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
export async function addTenant(stack: Stack, id: string, limits: object = {}): Promise<string> {
  await rest(stack, '/tenants', { id, limits });
  return (await rest(stack, `/tenants/${id}/keys`, { name: 'e2e', scopes: ['mcp'] })).key;
}
