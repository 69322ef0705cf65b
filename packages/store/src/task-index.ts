import { type Identity, maySee } from './caller.ts';
import { pairs, type Position } from './cursor.ts';
import { parseReference } from './keys.ts';
import { EXAMINE, PAGE } from './page.ts';
import type { Place } from './place.ts';

/** Members of the index, newest first, and the one to go on behind unless it is the end. */
export interface IndexPage {
  readonly found: readonly Position[];
  readonly next?: Position | undefined;
}

/** The tasks of a tenant that a caller may see, behind a position: below its member where it has one. */
export async function taskPage(
  { connection, keys }: Place,
  identity: Identity,
  from: Position | undefined,
): Promise<IndexPage> {
  const rows = await connection.command((client) =>
    client.zrange(
      keys.tasks,
      from?.score ?? '+inf',
      '-inf',
      'BYSCORE',
      'REV',
      'LIMIT',
      0,
      EXAMINE,
      'WITHSCORES',
    ),
  );
  const all = pairs(rows).filter(
    ({ score, member }) => from === undefined || score !== from.score || member < from.member,
  );
  const visible = all.filter(({ member }) => maySee(identity, parseReference(member).principal));
  const found = visible.slice(0, PAGE);
  const more = visible.length > PAGE || rows.length / 2 === EXAMINE;
  return { found, next: more ? (visible.length > PAGE ? found : all).at(-1) : undefined };
}
