import { Redis } from 'ioredis';
import type { Attack } from '../../target/attack.ts';

const LIMIT = 10;

/** An admin makes and rotates keys without end: all of them are listed, and each takes memory. */
export const unboundedKeys: Attack = {
  name: 'API keys without end',
  withoutGuard: [
    {
      file: 'lua/tenant/create_key.lua',
      from: "if redis.call('ZCARD', K_apiKeys) >= tonumber(limit) then",
      to: 'if false then',
    },
  ],
  async run(target) {
    const tenant = await target.createTenant({ apiKeys: LIMIT });
    const { key } = await target.createKey(tenant, { scopes: ['mcp', 'admin'] });
    const post = (path: string, body: object) =>
      target.send('POST', `/v1/tenants/${tenant}${path}`, { key, body });
    let last = (await post('/keys', { name: 'x' })).json?.id;
    for (let n = 0; n < 3 * LIMIT; n++)
      last = (await post(`/keys/${last}/rotate`, { overlapSeconds: 0 })).json?.id ?? last;
    let refused = '';
    for (let n = 0; n < 3 * LIMIT; n++) refused = (await post('/keys', { name: 'x' })).json?.code ?? '';
    const redis = new Redis(target.redisUrl.replace('unix://', ''));
    const stored = (await redis.keys(`baton:{s0}:t:${tenant}:key:*`)).length;
    redis.disconnect();
    const gains: string[] = [];
    if (stored > LIMIT) gains.push(`${stored} keys are stored, of ${LIMIT}`);
    if (refused !== 'limit_storage') gains.push(`the last key was refused with '${refused}'`);
    return gains;
  },
};
