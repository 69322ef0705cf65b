import { type Identity, maySee } from '../identity/identity.ts';
import { parseMembersWithScores, type Position } from '../cursors/cursor.ts';
import { parseIndexMember } from '../records/keys.ts';
import { MAX_SCANNED, type OwnerAndTimeFilter, PAGE_SIZE } from '../records/page.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';

/** Members of the index, newest first; `next` is the one behind which to continue, unless this is the end. */
export interface TaskIndexPage {
  readonly found: readonly Position[];
  readonly next?: Position | undefined;
}

/** So many members are read first, and up to MAX_SCANNED where the caller may see too few of them. */
const FIRST_SCANNED = 4 * PAGE_SIZE;

/** The tasks of a tenant that a caller may see, of this origin, behind a position. */
export async function listVisibleTasks(
  { connection, keys }: TenantContext,
  identity: Identity,
  from: Position | undefined,
  { principal, createdAfter, createdBefore }: OwnerAndTimeFilter = {},
): Promise<TaskIndexPage> {
  const newest = createdBefore === undefined ? '+inf' : `(${createdBefore}`;
  const oldest = createdAfter === undefined ? '-inf' : `${createdAfter}`;
  const isListed = (owner: string) =>
    maySee(identity, owner) && (principal === undefined || owner === principal);
  const scanned: Position[] = [];
  const visible: Position[] = [];
  const all: Position[] = [];
  // Whoever sees most of the tasks needs few of the index for a page, and most callers do.
  for (const until of [FIRST_SCANNED, MAX_SCANNED]) {
    const start = from?.score ?? newest;
    const limit = ['LIMIT', scanned.length, until - scanned.length, 'WITHSCORES'] as const;
    const rows = parseMembersWithScores(
      await connection.command((client) =>
        client.zrange(keys.tasks, start, oldest, 'BYSCORE', 'REV', ...limit),
      ),
    );
    scanned.push(...rows);
    const behind = rows.filter(
      ({ score, member }) => from === undefined || score !== from.score || member < from.member,
    );
    all.push(...behind);
    visible.push(...behind.filter(({ member }) => isListed(parseIndexMember(member).principal)));
    if (visible.length > PAGE_SIZE || scanned.length < until) break;
  }
  const found = visible.slice(0, PAGE_SIZE);
  const more = visible.length > PAGE_SIZE || scanned.length === MAX_SCANNED;
  return { found, next: more ? (visible.length > PAGE_SIZE ? found : all).at(-1) : undefined };
}
