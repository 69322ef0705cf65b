import { BatonError } from '@baton/protocol';
import type { Store } from '@baton/store';
import { openOperatorStore } from '../rest/operator/open-operator-store.ts';

/** The tenant that the official conformance suite is run in. */
const TENANT = 'conformance';

/** Of the key of a replica: a run takes minutes. */
const KEY_LIFE_MS = 86_400_000;

/** Prompts that the suite gets: those that ask or embed something are workflows. */
const DEFINITIONS: Readonly<Record<string, object>> = {
  'prompts/test_simple_prompt': {
    name: 'test_simple_prompt',
    description: 'A prompt without arguments.',
    text: 'This is a simple prompt for testing.',
    public: true,
  },
  'prompts/test_prompt_with_arguments': {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with two arguments.',
    text: "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
    public: true,
  },
  'workflows/test_prompt_with_embedded_resource': {
    name: 'test_prompt_with_embedded_resource',
    description: 'process a resource',
    arguments: [{ name: 'resourceUri', description: 'The resource to embed', required: true }],
    steps: [{ name: 'read', resources: ['{{args.resourceUri}}'] }],
  },
  'workflows/test_prompt_with_image': {
    name: 'test_prompt_with_image',
    description: 'analyze an image',
    steps: [{ name: 'look', resources: ['test://static-binary'] }],
  },
  'workflows/test_input_required_result_prompt': {
    name: 'test_input_required_result_prompt',
    description: 'ask for a context',
    steps: [{ name: 'ask', tool: 'test_ask_for_context' }],
  },
};

/**
 * Creates the tenant with what the suite gets of it, over the REST of the gateway at `url`, and a key of this replica. Each replica acts as the same
 * principal. Errors: those of the store, and any refusal of a definition.
 */
export async function prepareConformanceTenant(url: string, store: Store): Promise<string> {
  await openOperatorStore(store)
    .create({ id: TENANT })
    .catch((thrown: unknown) => {
      if (!(thrown instanceof BatonError) || thrown.code !== 'tenant_exists') throw thrown;
    });
  const { key } = await store.tenant(TENANT).apiKeys.create({
    name: 'suite',
    principal: 'suite',
    scopes: ['mcp', 'admin'],
    tools: 'all',
    dialect: 'sampling',
    expiresAt: new Date(Date.now() + KEY_LIFE_MS).toISOString(),
  });
  for (const [path, definition] of Object.entries(DEFINITIONS)) {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(definition),
    });
    if (!response.ok) throw new Error(`PUT /v1/${path}: ${response.status} ${await response.text()}`);
  }
  return key;
}
