import { Redis } from 'ioredis';
import type { Attack } from '../../target/attack.ts';

const PENDING_OF_OTHERS = 5_000;
/** Members of the index that one script may look at. */
const MOST_LOOKED_AT = 1_000;

/** A caller that sees nothing of its tenant asks for what is pending: what others have open is looked through for it. */
export const listStorms: Attack = {
  name: 'lists that look through what others have open',
  withoutGuard: [
    {
      file: 'lua/interaction/list_pending_or_register_waiter.lua',
      from: 'scanned < scan_limit and',
      to: '',
    },
  ],
  async run(target) {
    const gains: string[] = [];
    const tenant = await target.createTenant();
    const attacker = await target.createKey(tenant, { principal: 'mole' });
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const members = Array.from({ length: PENDING_OF_OTHERS }, (_, n) => [n + 1, `${n}.1|other`]);
    await redis.zadd(`baton:{s0}:t:${tenant}:pending`, ...members.flat());
    // A look reads a hundred members.
    const looks = async () =>
      Number(/cmdstat_zrange:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0);
    const before = await looks();
    const { content } = await target.callTool(attacker.key, 'pending_interactions', {});
    const looked = ((await looks()) - before) * 100;
    if (looked > MOST_LOOKED_AT + 200) gains.push(`one call had ${looked} members looked at`);
    if (content?.interactions?.length !== 0) gains.push('it saw some');
    redis.disconnect();
    return gains;
  },
};
