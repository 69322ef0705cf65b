import { Redis } from 'ioredis';
import type { Attack } from '../../target/attack.ts';

const BODY = 'y'.repeat(240_000);
const REQUESTS = 30;

/** Filters that match nothing make a list read the large requests that it does not return. */
export const unmatchedFilters: Attack = {
  name: 'filters that match nothing',
  withoutGuard: [
    {
      file: 'lua/interaction/fetch_or_claim_interactions.lua',
      from:
        'if summary and not is_wanted_role(summary) then return end\n' +
        '  local request = false\n  if whole or not summary then',
      to: 'local request = false\n  do summary = false',
    },
    {
      file: 'lua/interaction/fetch_or_claim_interactions.lua',
      from: 'if #fetched == limit or examine <= 0 then break end',
      to: 'if #fetched == limit then break end',
    },
  ],
  async run(target) {
    const attacker = await target.createKey(
      await target.createTenant({ requestsPerSecond: 100_000, burst: 100_000 }),
    );
    for (let n = 0; n < REQUESTS; n++)
      await target.delegate(attacker.key, { messages: [{ role: 'user', content: BODY }] });
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    // In such a call single fields are read of a task only by FETCH_OR_CLAIM_INTERACTIONS: its owner, and what is large.
    const reads = async () =>
      Number(/cmdstat_hget:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const before = await reads();
    const { content } = await target.callTool(attacker.key, 'pending_interactions', { role: 'fallback' });
    const read = (await reads()) - before - REQUESTS;
    redis.disconnect();
    const gains: string[] = [];
    if (content?.interactions?.length !== 0) gains.push('the filter matched');
    if (read * BODY.length > 2 * 1_048_576 + BODY.length)
      gains.push(`${read} requests of ${BODY.length} bytes were read`);
    return gains;
  },
};
