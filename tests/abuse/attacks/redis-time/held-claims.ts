import { Redis } from 'ioredis';
import { RedisMonitor } from '../../../harness/redis-monitor.ts';
import type { Attack } from '../../target/attack.ts';

const CLAIMS = 3_000;
/** Claims that one script may end. */
const MOST_AT_ONCE = 200;

/** A holder of thousands of claims is released, beside thousands of claims of others. */
export const heldClaims: Attack = {
  name: 'a holder of thousands of claims',
  withoutGuard: [
    {
      file: 'lua/claim/release_holder.lua',
      from: "'ZPOPMAX', K_holder, limit)",
      to: "'ZPOPMAX', K_holder, 1e9)",
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const tenant = await target.createTenant();
    const attacker = await target.createKey(tenant, { principal: 'mole', scopes: ['mcp', 'agent'] });
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const keysOf = (kind: string) => redis.keys(`baton:{s0}:t:${tenant}:${kind}`);
    await target.delegate(attacker.key);
    const claim = { max: 1, leaseMs: 600_000, holder: 'one' };
    await target.callTool(attacker.key, 'pending_interactions', { claim });
    const claims = `baton:{s0}:t:${tenant}:claims`;
    const [holder = ''] = await keysOf('holder:*');
    const until = Date.now() + 600_000;
    const claimed = (of: string) => Array.from({ length: CLAIMS }, (_, n) => [until, `${n}.1|${of}`]).flat();
    await redis.zadd(claims, ...claimed('mole'));
    await redis.zadd(claims, ...claimed('other'));
    await redis.zadd(holder, ...claimed('mole'));

    const monitor = await RedisMonitor.open(target.redisUrl, { scripts: true });
    await target.callTool(attacker.key, 'pending_interactions', { claim: { leaseMs: 0, holder: 'one' } });
    let [inScript, most] = [0, 0];
    for (const command of await monitor.commands()) {
      if (!command.startsWith('lua ')) inScript = 0;
      else if (/^lua "ZREM"/i.test(command)) most = Math.max(most, ++inScript);
    }
    monitor.close();
    if (most > MOST_AT_ONCE + 10) gains.push(`one script ended ${most} claims`);
    if ((await redis.zcard(claims)) !== CLAIMS) gains.push('claims of others ended, or its own did not');
    redis.disconnect();
    return gains;
  },
};
