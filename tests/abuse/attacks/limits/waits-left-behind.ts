import { holdsWithin } from '../../../harness/poll.ts';
import { UNLIMITED } from '../../../processes/process-settings.ts';
import type { Attack } from '../../target/attack.ts';

/** As many as a tenant may have at a gateway. */
const MOST = 1_000;
const MORE = 50;

/** A client asks for the result of a task that does not end, gives up and asks again, and leaves all of its calls held. */
export const waitsLeftBehind: Attack = {
  name: 'waits that are left behind',
  withoutGuard: [{ file: 'program', from: 'if (waits.size > this.most)', to: 'if (false)' }],
  async run(target) {
    const tenant = await target.createTenant(UNLIMITED);
    const attacker = await target.createKey(tenant);
    const neighbour = await target.createKey(tenant);
    const gains: string[] = [];
    const theirs: string = (await target.delegate(neighbour.key)).taskId;
    const own: string = (await target.delegate(attacker.key)).taskId;
    let [neighbourEnded, ended] = [false, 0];
    const first = target
      .rpc(neighbour.key, 'tasks/result', { taskId: theirs })
      .then(() => (neighbourEnded = true));
    const held = Array.from({ length: MOST + MORE }, async () => {
      const { text } = await target.rpc(attacker.key, 'tasks/result', { taskId: own });
      if (text.includes('task_unfinished')) ended++;
    });
    // One place is the neighbour's.
    if (!(await holdsWithin(async () => ended > MORE, 15_000)))
      gains.push(`the gateway holds ${MOST + MORE - ended} calls of one key`);
    if (neighbourEnded) gains.push("another key's wait was ended");
    for (const [key, taskId] of [
      [attacker.key, own],
      [neighbour.key, theirs],
    ] as const)
      await target.callTool(key, 'cancel_task', { taskId });
    await Promise.all([first, ...held]);
    return gains;
  },
};
