import { taskRef } from '../../../packages/store/src/records/keys.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';
import { UNLIMITED } from '../../processes/process-settings.ts';
import type { Attack } from '../target/attack.ts';
import type { AttackedDeployment } from '../target/attacked-deployment.ts';

/** A cursor is read for names of others' tasks, changed, made up, or used for another caller's list. */
export const misusedCursors: Attack = {
  name: 'cursors of other callers and lists',
  withoutGuard: [
    {
      file: 'program',
      from: /JSON\.stringify\(\[visiblePrincipal\(identity\), \w+, given\.toSorted\(byName\)\]\)/,
      to: '""',
    },
  ],
  async run(target) {
    const tenant = await target.createTenant(UNLIMITED);
    const victim = await target.createKey(tenant, { principal: 'victim' });
    const mole = await target.createKey(tenant, { principal: 'mole' });
    const refs: string[] = [];
    for (let at = 0; at < MORE_THAN_A_PAGE; at++) {
      refs.push(taskRef((await target.delegate(victim.key)).taskId));
      await target.delegate(mole.key);
    }
    const gains: string[] = [];
    for (const [name, list] of Object.entries(LISTS)) {
      const own = (await list(target, mole.key)).nextCursor ?? '';
      const theirs = (await list(target, victim.key)).nextCursor ?? '';
      if (own === '' || theirs === '') throw new Error(`${name} fits one page`);
      const decoded = Buffer.from(own, 'base64url').toString('latin1');
      if (refs.some((ref) => decoded.includes(ref))) gains.push(`a cursor of ${name} names another's task`);
      const tried: [what: string, cursor: string][] = [
        ['another caller', theirs],
        ['the attacker', madeUp(refs[0] ?? '')],
        ['a change', own.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'))],
      ];
      for (const [other, read] of Object.entries(LISTS))
        if (other !== name) tried.push([other, (await read(target, mole.key)).nextCursor ?? '']);
      for (const [what, cursor] of tried)
        if ((await list(target, mole.key, cursor)).code !== 'invalid_arguments')
          gains.push(`${name} takes a cursor of ${what}`);
    }
    return gains;
  },
};

const MORE_THAN_A_PAGE = 52;

/** A page, or the error in its place. */
type List = (target: AttackedDeployment, key: string, cursor?: string) => Promise<AnyJson>;

const rest =
  (path: string): List =>
  async (target, key, cursor) => {
    const more = cursor === undefined ? '' : `${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
    return (await target.send('GET', path + more, { key })).json;
  };

const LISTS: Readonly<Record<string, List>> = {
  pending_interactions: async (target, key, cursor) => {
    const { content } = await target.callTool(key, 'pending_interactions', cursor ? { cursor } : {});
    return content?.error ?? content;
  },
  'GET /v1/tasks': rest('/v1/tasks'),
  'GET /v1/tasks?status=input_required': rest('/v1/tasks?status=input_required'),
  'GET /v1/interactions': rest('/v1/interactions'),
  'resources/list': async (target, key, cursor) => {
    const { json } = await target.rpc(key, 'resources/list', cursor ? { cursor } : {});
    return json?.error?.data ?? json?.result;
  },
};

/** A position in the list of tasks, as cursors once held it. */
function madeUp(ref: string): string {
  return Buffer.from(JSON.stringify({ score: '9999999999999', member: `${ref}|` })).toString('base64url');
}
