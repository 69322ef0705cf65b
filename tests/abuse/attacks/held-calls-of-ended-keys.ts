import { Redis } from 'ioredis';
import { holdsWithin } from '../../harness/poll.ts';
import { OPERATOR_TOKEN } from '../../processes/process-settings.ts';
import type { Attack } from '../target/attack.ts';
import type { ApiKey, AttackedDeployment } from '../target/attacked-deployment.ts';

/** A call is held when its key ends, and is given, or claims, what is made afterwards. */
export const heldCallsOfEndedKeys: Attack = {
  name: 'calls that are held with a key that has ended',
  withoutGuard: [
    {
      file: 'lua/include/admission_recheck.lua',
      from: "if A_digest == '' then return nil, A_principal, A_scopes, '' end",
      to: "do return nil, A_principal, A_scopes, '' end",
    },
  ],
  async run(target) {
    const gains: string[] = [];
    for (const [how, end] of Object.entries(ENDS)) {
      const tenant = await target.createTenant();
      const victim = await target.createKey(tenant);
      const mole = await target.createKey(tenant, {
        scopes: ['agent'],
        ...(how === 'expired' ? { expiresAt: new Date(Date.now() + 1_500).toISOString() } : {}),
      });
      const claim = { max: 5, leaseMs: 600_000, holder: 'mole' };
      const wait = target.callTool(mole.key, 'pending_interactions', { waitMs: 6_000, claim }, 1);
      await isWaiting(target, tenant);
      await end(target, tenant, mole);
      const refused = async () => (await target.callTool(mole.key, 'pending_interactions', {})).status >= 401;
      if (!(await holdsWithin(refused, 5_000))) throw new Error(`the key has not ended: ${how}`);
      const secret = `made after the key was ${how}`;
      await target.delegate(victim.key, { messages: [{ role: 'user', content: secret }] });
      if ((await wait).text.includes(secret)) gains.push(`${how}: the prompt is read`);
      const other = await target.createKey(tenant, { scopes: ['agent'] });
      const left = await target.callTool(other.key, 'pending_interactions', {
        claim: { max: 5, leaseMs: 1_000 },
      });
      if (left.content?.interactions?.length !== 1) gains.push(`${how}: the request is hidden from others`);
    }
    return gains;
  },
};

type End = (target: AttackedDeployment, tenant: string, mole: ApiKey) => Promise<unknown>;

const ENDS: Record<string, End> = {
  revoked: (target, tenant, { id }) =>
    target.send('DELETE', `/v1/tenants/${tenant}/keys/${id}`, { key: OPERATOR_TOKEN }),
  rotated: (target, tenant, { id }) =>
    target.asOperator('POST', `/tenants/${tenant}/keys/${id}/rotate`, { overlapSeconds: 0 }),
  expired: async () => {},
};

/** Resolves once a gateway has registered a wait for what becomes pending in the tenant. */
async function isWaiting(target: AttackedDeployment, tenant: string): Promise<void> {
  const redis = new Redis(target.redisUrl.replace('unix://', ''));
  try {
    const waits = async () => {
      const [record = ''] = await redis.keys(`*:t:${tenant}`);
      return (await redis.hexists(record, 'watch')) === 1;
    };
    if (!(await holdsWithin(waits, 5_000))) throw new Error('the call is not held');
  } finally {
    redis.disconnect();
  }
}
