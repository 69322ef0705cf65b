import type { Identity } from './caller.ts';
import { formatCursor, parseCursor, type Position, referenceOf } from './cursor.ts';
import type { InteractionRecord, InteractionSummary } from './interaction-record.ts';
import type { InteractionReader, Reading, Shown, Wanted } from './interaction-reader.ts';
import { parseReference } from './keys.ts';
import type { Page } from './page.ts';
import type { Place } from './place.ts';
import { taskPage } from './task-index.ts';

/** Which interactions are wanted, of any status. */
export interface Past extends Wanted {
  readonly cursor?: string | undefined;
}

/** How many interactions one page may pass over. */
const EXAMINE = 500;

/** An interaction by its reference, and its task's place in the index. */
interface Opened {
  readonly reference: string;
  readonly score: string;
}

/** A tenant's interactions of every status: those of one task after the other, newest task first, each in their order. */
export class History {
  private readonly place: Place;
  private readonly reader: InteractionReader;

  constructor(place: Place, reader: InteractionReader) {
    this.place = place;
    this.reader = reader;
  }

  /** With their whole requests. */
  async whole(identity: Identity, past: Past): Promise<Page<InteractionRecord>> {
    return this.page(identity, past, (references, reading) => this.reader.whole(references, reading));
  }

  /** Without their requests. */
  async summaries(identity: Identity, past: Past): Promise<Page<InteractionSummary>> {
    return this.page(identity, past, (references, reading) => this.reader.summaries(references, reading));
  }

  private async page<T>(
    identity: Identity,
    { cursor, ...wanted }: Past,
    read: (references: readonly string[], reading: Reading) => Promise<Shown<T>>,
  ): Promise<Page<T>> {
    const from = cursor === undefined ? undefined : parseCursor(cursor);
    const { found, next } = await taskPage(this.place, identity, from && around(from));
    const opened = await this.opened(found, from);
    const { items, looked } = await read(
      opened.map(({ reference }) => reference),
      wanted,
    );
    const last = looked < opened.length || opened.length === EXAMINE ? opened[looked - 1] : undefined;
    if (last) return { items, nextCursor: formatCursor({ score: last.score, member: last.reference }) };
    if (!next) return { items };
    return { items, nextCursor: formatCursor({ score: next.score, member: `${referenceOf(next.member)}|` }) };
  }

  /** What the tasks have opened, as far as one page looks; of the first only what stands behind the cursor. */
  private async opened(tasks: readonly Position[], from: Position | undefined): Promise<Opened[]> {
    const { connection, keys } = this.place;
    const counts = await Promise.all(
      tasks.map(({ member }) =>
        connection.command((client) => client.hget(keys.task(parseReference(member).taskId), 'sq')),
      ),
    );
    const opened: Opened[] = [];
    const behind = from && parseReference(from.member);
    for (const [at, { member, score }] of tasks.entries()) {
      const begun = behind?.taskId === parseReference(member).taskId ? behind.number : 0;
      for (let number = begun + 1; number <= Number(counts[at] ?? 0); number++) {
        if (opened.length === EXAMINE) return opened;
        opened.push({ reference: `${referenceOf(member)}.${number}|`, score });
      }
    }
    return opened;
  }
}

/** A cursor within a task stands before the rest of it; the index knows tasks only, and goes on at that task. */
function around(from: Position): Position {
  const [ref = '', number] = referenceOf(from.member).split('.');
  return number === undefined ? from : { score: from.score, member: `${ref}}` };
}
