import type { Attack } from '../../target/attack.ts';

/** The largest bodies that a tenant may send, as often as its rate takes: reading each holds up everyone of the gateway. */
export const largeBodies: Attack = {
  name: 'large bodies within the rate',
  withoutGuard: [
    { file: 'lua/include/rate.lua', from: 'math.floor(A_weight / BYTES_PER_TOKEN)', to: '0' },
    { file: 'program', from: 'if (values > most.values)', to: 'if (false)' },
  ],
  async run(target) {
    const { key } = await target.createKey(await target.createTenant(RATE));
    const gains: string[] = [];
    let admitted = 0;
    while (admitted <= RATE.burst) {
      const { status } = await target.callTool(key, 'get_tasks', { projectRoot: 'p', tag: 'x'.repeat(MIB) });
      if (status === 429) break;
      admitted++;
    }
    if (admitted > 3) gains.push(`${admitted} mebibytes were admitted with a burst of ${RATE.burst}`);
    const lists = await target.createKey(await target.createTenant(RATE));
    let listed = 0;
    while (listed <= RATE.burst) {
      const { status } = await target.callTool(lists.key, 'get_tasks', {
        projectRoot: 'p',
        tag: MANY_VALUES,
      });
      if (status === 429) break;
      listed++;
    }
    if (listed > 5) gains.push(`${listed} bodies of many values were admitted with a burst of ${RATE.burst}`);
    const other = await target.createKey(await target.createTenant());
    const values = Array.from({ length: 120_000 }, () => ({ a: 1 }));
    const reply = await target.callTool(other.key, 'get_tasks', { projectRoot: values });
    if (reply.status !== 413) gains.push(`${values.length} objects were parsed: ${reply.status}`);
    return gains;
  },
};

const RATE = { requestsPerSecond: 1, burst: 40 };
/** As many as a body may have, in some 50 KB. */
const MANY_VALUES = Array.from({ length: 24_900 }, () => 1);
/** Less than a mebibyte, with the rest of the request around it. */
const MIB = 1_048_000;
