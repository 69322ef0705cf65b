import type { AnyJson } from '../../harness/mcp-client.ts';
import type { Attack } from '../target/attack.ts';
import type { AttackedDeployment } from '../target/attacked-deployment.ts';

/** What common JSON parsers read at their defaults (.NET's reads 64 levels, Python's about 1,000). */
const READABLE_DEPTH = 64;

/** JSON inside a string of a body is used to pass the bounds that the body itself has. */
export const jsonInsideStrings: Attack = {
  name: 'JSON inside a string',
  withoutGuard: [
    {
      file: 'program',
      from: /= measureJsonText(\w*)\(\w+, \w+\);/,
      to: '= 0;',
    },
  ],
  async run(target) {
    const tenant = await target.createTenant();
    const mole = await target.createKey(tenant, { principal: 'mole' });
    const agent = await target.createKey(tenant, { principal: 'agent', scopes: ['agent'] });
    const gains: string[] = [];
    for (const depth of [66, 500, 3_000, 9_000, 200_000]) {
      const what = await post(target, mole.key, `{"object":{"a":${nested(depth)}}}`);
      if (what !== 'invalid_arguments') gains.push(`an answer of depth ${depth} is ${what}`);
      const text = await post(target, mole.key, JSON.stringify({ text: `{"a":${nested(depth)}}` }));
      if (text !== 'input_required') gains.push(`an answer's text of depth ${depth} is ${text}`);
    }
    const wide = await post(target, mole.key, `{"object":${wideObject(75_000)}}`);
    if (wide !== 'invalid_arguments') gains.push(`an answer of 75,000 fields is ${wide}`);
    const prototype = await post(target, mole.key, '{"object":{"__proto__":{"a":1}}}');
    if (prototype !== 'invalid_arguments') gains.push(`an answer that sets a prototype is ${prototype}`);

    // Beneath the bounds of a body, so that only what is stored decides.
    for (const depth of [40, 50, 53, 56, 59]) await poisonList(target, mole.key, depth);
    for (const gateway of [0, 1]) {
      const list = await target.callTool(agent.key, 'pending_interactions', { requests: true }, gateway);
      if (list.content === undefined) gains.push("the agent's list is an error");
      else if (depthOf(list.json) > READABLE_DEPTH)
        gains.push(`the agent's list is ${depthOf(list.json)} deep`);
    }
    return gains;
  },
};

const SCHEMA = { type: 'object', required: ['a'] };
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const wideObject = (fields: number) =>
  `{${Array.from({ length: fields }, (_, n) => `"${n.toString(36)}x":1`).join(',')}}`;

/** Answers a request of the attacker's own with `data` as text; returns the status or the code of the outcome. */
async function post(target: AttackedDeployment, key: string, data: string): Promise<string> {
  const { interactionId } = await target.delegate(key, { schema: SCHEMA }, { serviceType: 'generateObject' });
  const agentLLMResponse = `{"status":"success","data":${data}}`;
  const { content, json, status } = await target.callTool(
    key,
    'agent_llm',
    { interactionId, agentLLMResponse, waitMs: 10_000 },
    1,
  );
  return content?.error?.code ?? content?.outcome?.status ?? json?.error?.data?.code ?? String(status);
}

/** Requests whose parameters nest, as text and as a value. */
async function poisonList(target: AttackedDeployment, key: string, depth: number): Promise<void> {
  const tools = `{"messages":[{"role":"user","content":"x"}],"tools":${nested(depth)}}`;
  const details = `{"originalCommand":"x","serviceType":"generateText","requestParameters":${tools}}`;
  await target.callTool(key, 'agent_llm', { delegatedCallDetails: details });
  await target.callTool(key, 'agent_llm', { delegatedCallDetails: JSON.parse(details) });
}

function depthOf(value: AnyJson): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, one) => Math.max(deepest, depthOf(one)), 0);
}
