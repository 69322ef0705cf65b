import { Redis } from 'ioredis';
import type { Attack } from '../../target/attack.ts';

const ANSWERS = 320;
/** Rows that a day of a tenant may have, beside one or two an operation. */
const MOST_ROWS = 258;
const LIMITS = { requestsPerSecond: 1_000_000, burst: 1_000_000 };

/** Each answer names another model: usage is kept by model for hundreds of days, and no limit of the tenant counts it. */
export const madeUpModels: Attack = {
  name: 'answers that each name a model of their own',
  withoutGuard: [
    {
      file: 'lua/include/usage.lua',
      from: 'MOST_ROWS_BY_MODEL, MOST_ROWS = 128, 256',
      to: 'MOST_ROWS_BY_MODEL, MOST_ROWS = 1e9, 1e9',
    },
  ],
  async run(target) {
    const tenant = await target.createTenant(LIMITS);
    const { key } = await target.createKey(tenant, { scopes: ['mcp', 'admin'] });
    for (let n = 0; n < ANSWERS; n++) {
      const { interactionId } = await target.delegate(key);
      const data = { text: 'x', model: `model ${n}`, usage: { inputTokens: 1, outputTokens: 1e308 } };
      const agentLLMResponse = { status: 'success', data };
      await target.callTool(key, 'agent_llm', { interactionId, agentLLMResponse, waitMs: 0 });
    }
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const days = await redis.keys(`baton:*:t:${tenant}:usage:*`);
    const rows = await Promise.all(days.map((day) => redis.hlen(day)));
    const lifetimes = await Promise.all(days.map((day) => redis.pttl(day)));
    redis.disconnect();
    const gains: string[] = [];
    // The day may have changed meanwhile.
    if (rows.length === 0 || rows.some((count) => count > MOST_ROWS)) gains.push(`rows of days: ${rows}`);
    if (lifetimes.some((ms) => ms < 0)) gains.push('a day is kept for ever');
    const { json } = await target.send('GET', '/v1/usage?by=model', { key });
    const { calls, inputTokens, outputTokens } = json.total;
    if (calls !== ANSWERS || inputTokens !== ANSWERS || outputTokens !== 0)
      gains.push(`the sums are wrong: ${JSON.stringify(json.total)}`);
    return gains;
  },
};
