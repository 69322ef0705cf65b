import type { ListCursors } from './cursor-seal.ts';

/** The position of a page's last member in a sorted set. Clients get it sealed, as a cursor. */
export interface Position {
  readonly score: string;
  readonly member: string;
}

export const START: Position = { score: '-inf', member: '' };

export function formatCursor(cursors: ListCursors, { score, member }: Position): string {
  return cursors.seal(`${score} ${member}`);
}

/** Errors: `invalid_arguments` naming the cursor. */
export function parseCursor(cursors: ListCursors, cursor: string): Position {
  const position = cursors.open(cursor);
  const space = position.indexOf(' ');
  return { score: position.slice(0, space), member: position.slice(space + 1) };
}

/** Parses a reply WITHSCORES: members and scores in turn. */
export function parseMembersWithScores(flat: readonly string[]): Position[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => ({
    member: flat[index * 2] ?? '',
    score: flat[index * 2 + 1] ?? '',
  }));
}

/** A position must not hold another principal's name, whose length its cursor could tell: a member up to its bar. */
export function withoutPrincipal(member: string): string {
  return member.slice(0, member.indexOf('|'));
}
