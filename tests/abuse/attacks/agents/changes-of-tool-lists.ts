import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { connectNotifiedClient } from '../../../agents/notified-client.ts';
import type { Attack } from '../../target/attack.ts';
import type { AttackedDeployment } from '../../target/attacked-deployment.ts';

const CHANGES = 100;
/** A stream is written to at most so often. */
const FLUSH_INTERVAL_MS = 100;
const LIMITS = { requestsPerSecond: 1_000_000, burst: 1_000_000 };

/**
 * An agent that is switched on and off in a loop: sessions of its tenant on every replica hear of it, and no oftener than streams are
 * written to; those of others never do, and hear of their own changes all the while.
 */
export const changesOfToolLists: Attack = {
  name: 'an agent that is switched on and off for ever',
  withoutGuard: [{ file: 'program', from: /change(\d*)\.kind === "agent" && change\d*\.tools/, to: 'false' }],
  async run(target) {
    const gains: string[] = [];
    const [busy, quiet] = [await openTenant(target), await openTenant(target)];
    const began = performance.now();
    for (let n = 0; n < CHANGES; n++) await busy.toggle(n);
    const periods = (performance.now() - began) / FLUSH_INTERVAL_MS;
    const heardOfOthers = quiet.heard();
    await quiet.toggle(0);
    for (const [name, sessions] of Object.entries({ busy, quiet }))
      if (!(await sessions.told())) gains.push(`a session of the ${name} tenant is not told on each replica`);
    const most = Math.max(...busy.counts());
    if (most > periods + 20) gains.push(`a session was told ${most} times in ${periods} periods`);
    if (heardOfOthers > 0) gains.push('sessions of another tenant are told');
    await Promise.all([busy, quiet].map(({ close }) => close()));
    return gains;
  },
};

/** A tenant with a session on each gateway, a primary and a specialist. */
async function openTenant(target: AttackedDeployment) {
  const tenant = await target.createTenant(LIMITS);
  const { key } = await target.createKey(tenant);
  const put = (id: string) =>
    target.asOperator('PUT', `/tenants/${tenant}/agents/${id}`, { id, name: id, instructions: 'x' });
  for (const id of ['assistant', 'helper']) await put(id);
  const sessions = await Promise.all(
    [0, 1].map(async (at) => {
      const { client } = await connectNotifiedClient(target.url(at), key, ToolListChangedNotificationSchema);
      const session = { client, count: 0 };
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void session.count++);
      return session;
    }),
  );
  const counts = () => sessions.map(({ count }) => count);
  return {
    toggle: (n: number) =>
      target.asOperator('POST', `/tenants/${tenant}/agents/helper/${n % 2 === 0 ? 'disable' : 'enable'}`),
    counts,
    heard: () => Math.max(...counts()),
    /** Waits for what is on its way. */
    told: async (): Promise<boolean> => {
      for (let wait = 0; wait < 50 && Math.min(...counts()) === 0; wait++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      return Math.min(...counts()) > 0;
    },
    close: () => Promise.all(sessions.map(({ client }) => client.close())),
  };
}
