import { BatonError, isRecord, parseJson } from '@baton/protocol';

/** The position of a page's last member in a sorted set. Clients get it as an opaque cursor. */
export interface Position {
  readonly score: string;
  readonly member: string;
}

export const START: Position = { score: '-inf', member: '' };

export function formatCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** Errors: `invalid_arguments` naming the cursor. */
export function parseCursor(cursor: string | undefined): Position {
  if (cursor === undefined) return START;
  try {
    const position: unknown = parseJson(Buffer.from(cursor, 'base64url').toString());
    if (isRecord(position) && typeof position['member'] === 'string' && isScore(position['score'])) {
      return { score: position['score'], member: position['member'] };
    }
  } catch {
    // Falls through: this is not a cursor of Baton's.
  }
  throw new BatonError(
    'invalid_arguments',
    `cursor: '${cursor.slice(0, 40)}' is not one that Baton gave out. Leave it out to start from the beginning.`,
    { field: 'cursor' },
  );
}

/** Parses a reply WITHSCORES: members and scores in turn. */
export function parseMembersWithScores(flat: readonly string[]): Position[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => ({
    member: flat[index * 2] ?? '',
    score: flat[index * 2 + 1] ?? '',
  }));
}

/** A cursor must not tell a caller another principal's name: a member up to its bar. */
export function withoutPrincipal(member: string): string {
  return member.slice(0, member.indexOf('|'));
}

function isScore(value: unknown): value is string {
  return typeof value === 'string' && /^(-inf|\d{1,16}(\.\d+)?(e\+\d+)?)$/.test(value);
}
