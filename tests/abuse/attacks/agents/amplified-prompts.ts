import type { Attack } from '../../target/attack.ts';

/** What a request of some ten thousand bytes may come to. */
const MOST = 4_000_000;
const LIMITS = { requestsPerSecond: 1_000_000, burst: 1_000_000 };

/** A value that stands in a prompt ten thousand times: the replica builds the text, whatever becomes of it. */
export const promptsThatGrow: Attack = {
  name: 'a prompt that is a thousand times its arguments',
  withoutGuard: [{ file: 'program', from: 'length > MAX_FILLED_LENGTH', to: 'length < 0' }],
  async run(target) {
    const tenant = await target.createTenant(LIMITS);
    const { key } = await target.createKey(tenant);
    const prompt = { name: 'echo', text: '{a}'.repeat(10_000), public: true };
    await target.asOperator('PUT', `/tenants/${tenant}/prompts/echo`, prompt);
    const a = 'x'.repeat(5_000);
    const shown = await target.rpc(key, 'prompts/get', { name: 'echo', arguments: { a } });
    const gains = shown.text.length > MOST ? [`${shown.text.length} bytes are shown`] : [];
    const { content } = await target.callTool(key, 'call_prompt', { name: 'echo', args: { a } });
    if (content?.error?.code !== 'invalid_arguments') gains.push(`the call is ${JSON.stringify(content)}`);
    return gains;
  },
};

/** Tags within each other: each holds the text of all within it, so the value grows with the square of the answer. */
export const tagsWithinEachOther: Attack = {
  name: 'an answer whose tags hold a thousand times its text',
  withoutGuard: [{ file: 'program', from: 'if (room < 0)', to: 'if (false)' }],
  async run(target) {
    const tenant = await target.createTenant(LIMITS);
    const { key } = await target.createKey(tenant);
    const tag = { name: 'a', required: true, many: true };
    const prompt = { name: 'tags', text: 'Tag it.', parser: { type: 'xml', tags: [tag] } };
    await target.asOperator('PUT', `/tenants/${tenant}/prompts/tags`, prompt);
    const { content: asked } = await target.callTool(key, 'call_prompt', { name: 'tags' });
    const text = '<a>'.repeat(2_000) + '</a>'.repeat(2_000);
    const agentLLMResponse = { status: 'success', data: { text } };
    const answer = { interactionId: asked.interactionId, agentLLMResponse, waitMs: 20_000 };
    const { content, text: reply } = await target.callTool(key, 'agent_llm', answer);
    const gains = reply.length > MOST ? [`${reply.length} bytes came of an answer of ${text.length}`] : [];
    const { status, pending } = content?.outcome ?? {};
    if (status !== 'input_required') gains.push(`the task is ${status}`);
    const again = { ...answer, interactionId: pending?.interactionId };
    const good = { status: 'success', data: { text: '<a>one</a>' } };
    const ended = await target.callTool(key, 'agent_llm', { ...again, agentLLMResponse: good });
    if (ended.content?.outcome?.status !== 'completed') gains.push('a good answer after it is of no use');
    return gains;
  },
};
