import { type Identity, maySee } from '../records/identity.ts';
import { parseMembersWithScores, type Position } from '../records/cursor.ts';
import { parseIndexMember } from '../records/keys.ts';
import { MAX_SCANNED, PAGE_SIZE } from '../records/page.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';

/** Members of the index, newest first; `next` is the one behind which to continue, unless this is the end. */
export interface TaskIndexPage {
  readonly found: readonly Position[];
  readonly next?: Position | undefined;
}

/** The tasks of a tenant that a caller may see, behind a position. */
export async function listVisibleTasks(
  { connection, keys }: TenantContext,
  identity: Identity,
  from: Position | undefined,
): Promise<TaskIndexPage> {
  const rows = await connection.command((client) =>
    client.zrange(
      keys.tasks,
      from?.score ?? '+inf',
      '-inf',
      'BYSCORE',
      'REV',
      'LIMIT',
      0,
      MAX_SCANNED,
      'WITHSCORES',
    ),
  );
  const all = parseMembersWithScores(rows).filter(
    ({ score, member }) => from === undefined || score !== from.score || member < from.member,
  );
  const visible = all.filter(({ member }) => maySee(identity, parseIndexMember(member).principal));
  const found = visible.slice(0, PAGE_SIZE);
  const more = visible.length > PAGE_SIZE || rows.length / 2 === MAX_SCANNED;
  return { found, next: more ? (visible.length > PAGE_SIZE ? found : all).at(-1) : undefined };
}
