import type { Identity } from '../identity/identity.ts';
import { formatCursor, parseCursor, type Position, withoutPrincipal } from '../cursors/cursor.ts';
import type { InteractionRecord, InteractionSummary } from '../records/interaction-record.ts';
import type {
  InteractionReader,
  FetchOptions,
  FetchResult,
  InteractionFilter,
} from './interaction-reader.ts';
import { parseIndexMember } from '../records/keys.ts';
import { FIELD } from '../records/task-record.ts';
import { isCreatedWithin, originFilters, type Page, type PageBounds } from '../records/page.ts';
import { type TenantContext, TenantPart } from '../tenant/tenant-context.ts';
import { listVisibleTasks } from './task-index.ts';

/** Which interactions to return, whatever their status. */
export interface HistoryQuery extends InteractionFilter {
  readonly cursor?: string | undefined;
  readonly bounds?: PageBounds | undefined;
  /** How many a page has at most. */
  readonly limit?: number | undefined;
}

/** One page scans at most so many interactions. */
const MAX_INTERACTIONS = 200;

/** An interaction by its index member, and its task's score in the index. */
interface OpenedInteraction {
  readonly reference: string;
  readonly score: string;
}

/** A tenant's interactions of every status: those of the newest task first, those of one task in the order of their numbers. */
export class InteractionHistory extends TenantPart {
  private readonly reader: InteractionReader;

  constructor(context: TenantContext, reader: InteractionReader) {
    super(context);
    this.reader = reader;
  }

  /** With their requests. */
  async records(identity: Identity, query: HistoryQuery = {}): Promise<Page<InteractionRecord>> {
    return this.page(identity, query, (references, reading) =>
      this.reader.records(identity, references, reading),
    );
  }

  /** Without their requests. */
  async summaries(identity: Identity, query: HistoryQuery = {}): Promise<Page<InteractionSummary>> {
    return this.page(identity, query, (references, reading) =>
      this.reader.summaries(identity, references, reading),
    );
  }

  private async page<T extends { readonly createdAt: number }>(
    identity: Identity,
    { cursor, limit, ...filter }: HistoryQuery,
    read: (references: readonly string[], reading: FetchOptions) => Promise<FetchResult<T>>,
  ): Promise<Page<T>> {
    const { status, operation, role } = filter;
    const cursors = this.context.cursors.of('history', identity, {
      status,
      operation,
      role,
      ...originFilters(filter),
    });
    const from = cursor === undefined ? undefined : parseCursor(cursors, cursor);
    const { found, next } = await listVisibleTasks(
      this.context,
      identity,
      from && taskPosition(from),
      // An interaction is no older than its task.
      { ...filter, createdAfter: undefined },
    );
    const openedInteractions = await this.opened(found, from);
    const reading = { ...filter, ...(limit !== undefined && { most: limit }) };
    const { items: examined, scanned } = await read(
      openedInteractions.map(({ reference }) => reference),
      reading,
    );
    const items = examined.filter(({ createdAt }) => isCreatedWithin(createdAt, filter));
    const last =
      scanned < openedInteractions.length || openedInteractions.length === MAX_INTERACTIONS
        ? openedInteractions[scanned - 1]
        : undefined;
    if (last)
      return { items, nextCursor: formatCursor(cursors, { score: last.score, member: last.reference }) };
    if (!next) return { items };
    return {
      items,
      nextCursor: formatCursor(cursors, { score: next.score, member: `${withoutPrincipal(next.member)}|` }),
    };
  }

  /** The interactions of these tasks, up to MAX_INTERACTIONS; of the cursor's task only those behind the cursor. */
  private async opened(tasks: readonly Position[], from: Position | undefined): Promise<OpenedInteraction[]> {
    const { connection, keys } = this.context;
    const counts = await Promise.all(
      tasks.map(({ member }) =>
        connection.command((client) =>
          client.hget(keys.task(parseIndexMember(member).taskId), FIELD.interactions_opened),
        ),
      ),
    );
    const opened: OpenedInteraction[] = [];
    const behind = from && parseIndexMember(from.member);
    for (const [at, { member, score }] of tasks.entries()) {
      const begun = behind?.taskId === parseIndexMember(member).taskId ? behind.number : 0;
      for (let number = begun + 1; number <= Number(counts[at] ?? 0); number++) {
        if (opened.length === MAX_INTERACTIONS) return opened;
        opened.push({ reference: `${withoutPrincipal(member)}.${number}|`, score });
      }
    }
    return opened;
  }
}

/** A cursor may point into a task; the index has tasks only, so that reading goes on at that task, included. */
function taskPosition(from: Position): Position {
  const [ref = '', number] = withoutPrincipal(from.member).split('.');
  return number === undefined ? from : { score: from.score, member: `${ref}}` };
}
