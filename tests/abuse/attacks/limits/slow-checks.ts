import type { Attack } from '../../target/attack.ts';
import type { AttackedDeployment } from '../../target/attacked-deployment.ts';

const HOSTILE_TENANTS = 6;
const ANSWERS = 8;
/** Elements of which each is compared with each, ten times: more than a check may take. */
const BOMB = Array.from({ length: 12_000 }, (_, n) => [n]);
const UNIQUE = { allOf: Array.from({ length: 10 }, () => ({ type: 'array', uniqueItems: true })) };
/** Within the bounds of a schema, and more than a check may take to compile. */
const ENDLESS = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 600 }, (_, n) => [`p${n}`, { pattern: `a{1,1000}${n}` }]),
  ),
};

/** Answers that are slow to check, and schemas that are slow to compile, keep the checks of other tenants waiting. */
export const slowChecksOfOthers: Attack = {
  name: 'checks that keep other tenants waiting',
  // All are one tenant.
  withoutGuard: [
    { file: 'program', from: 'await this.turns.enter(tenant)', to: 'await this.turns.enter("all")' },
  ],
  async run(target) {
    const gains: string[] = [];
    const victim = await newKey(target);
    // Its threads have started.
    await answerOwn(target, victim);
    const hostile = await Promise.all(Array.from({ length: HOSTILE_TENANTS }, () => newKey(target)));
    await Promise.all(hostile.map((key) => postBombs(target, key)));
    const schemas = hostile.map((key) => open(target, key, ENDLESS));
    for (let time = 0; time < 5; time++) {
      const status = await answerOwn(target, victim);
      if (status !== 'completed') gains.push(`the victim's call is ${status}`);
    }
    await Promise.all(schemas);
    return gains;
  },
};

/** Checks that are killed leave their tenant as it was, so that it has the next one killed at once. */
export const checksThatCostNothing: Attack = {
  name: 'killed checks that cost nothing',
  withoutGuard: [{ file: 'program', from: /KILLED_FACTOR(\w*) \* ms/, to: '0 * KILLED_FACTOR$1' }],
  async run(target) {
    const gains: string[] = [];
    const [attacker, victim] = [await newKey(target), await newKey(target)];
    const first = await open(target, attacker, ENDLESS);
    if (first !== 'invalid_arguments') gains.push(`a schema that is never compiled is ${first}`);
    for (let time = 0; time < 3; time++) {
      const again = await open(target, attacker, { ...ENDLESS, title: `${time}` });
      if (again !== 'limit_checks') gains.push(`another one right after it is ${again}`);
    }
    const other = await answerOwn(target, victim);
    if (other !== 'completed') gains.push(`another tenant's call is ${other}`);
    return gains;
  },
};

async function newKey(target: AttackedDeployment): Promise<string> {
  return (await target.createKey(await target.createTenant({ requestsPerSecond: 100_000, burst: 100_000 })))
    .key;
}

/** Opens a call with a schema; returns `open` or the code of the refusal. */
async function open(target: AttackedDeployment, key: string, schema: object): Promise<string> {
  const { content, json } = await target.callTool(key, 'agent_llm', { delegatedCallDetails: call(schema) });
  const error = content?.error ?? json?.error?.data;
  return error === undefined ? 'open' : error.code;
}

function call(schema: object) {
  const requestParameters = { messages: [{ role: 'user', content: 'x' }], schema };
  return { originalCommand: 'x', serviceType: 'generateObject', requestParameters };
}

/** Posts answers that nobody waits for. */
async function postBombs(target: AttackedDeployment, key: string): Promise<void> {
  for (let n = 0; n < ANSWERS; n++) {
    const service = { serviceType: 'generateObject' };
    const { interactionId } = await target.delegate(key, { schema: UNIQUE }, service);
    const agentLLMResponse = { status: 'success', data: { object: BOMB } };
    await target.callTool(key, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
  }
}

/** A call with a schema of its own, from its start to its end; returns the status of the outcome. */
async function answerOwn(target: AttackedDeployment, key: string): Promise<string> {
  const schema = { type: 'object', required: ['a'] };
  const { content, text } = await target.callTool(key, 'agent_llm', { delegatedCallDetails: call(schema) });
  if (content?.interactionId === undefined) return text.slice(0, 200);
  const agentLLMResponse = { status: 'success', data: { object: { a: 1 } } };
  const args = { interactionId: content.interactionId, agentLLMResponse, waitMs: 20_000 };
  const answered = await target.callTool(key, 'agent_llm', args);
  return answered.content?.outcome?.status ?? answered.text.slice(0, 200);
}
