import { type Identity, visiblePrincipal } from '../identity/identity.ts';
import type { ClaimRequest } from '../tasks/claims.ts';
import {
  formatCursor,
  parseMembersWithScores,
  parseCursor,
  type Position,
  START,
  withoutPrincipal,
} from '../cursors/cursor.ts';
import type { InteractionRecord, InteractionSummary } from '../records/interaction-record.ts';
import type {
  InteractionReader,
  FetchOptions,
  FetchResult,
  InteractionFilter,
} from './interaction-reader.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { refusalError } from '../records/refusal-error.ts';
import {
  MAX_SCANNED_BY_SCRIPT,
  originFilters,
  PAGE_SIZE,
  type Page,
  type PageBounds,
} from '../records/page.ts';
import { type TenantContext, TenantPart } from '../tenant/tenant-context.ts';
import { runScript } from '../scripts/script.ts';
import { LIST_PENDING_OR_REGISTER_WAITER } from '../scripts/registry.ts';
import { SingleFlight } from './single-flight.ts';

/** Which pending interactions to return, and whether to claim them or to wait for them. */
export interface PendingQuery extends Omit<InteractionFilter, 'status'> {
  readonly cursor?: string | undefined;
  readonly claim?: (ClaimRequest & { readonly max: number }) | undefined;
  /** The inbox to notify, under `pendingTopic`, when something becomes pending, if nothing is now. */
  readonly channel?: string;
  /** How large the page may be; without it as pages of the store are. */
  readonly bounds?: PageBounds | undefined;
  /** How many a page has at most. */
  readonly limit?: number | undefined;
}

export interface PendingPage<T = InteractionRecord> extends Page<T> {
  /** In how many milliseconds the first claim ends that hides an interaction now. */
  readonly freeInMs?: number;
  /** The page is empty, and yet there were interactions that another caller might take. */
  readonly mayHaveMore?: boolean;
}

/** One page passes what is claimed in so many reads of the index at most, of MAX_SCANNED_BY_SCRIPT each. */
const MOST_INDEX_READS = 20;

/** So many more candidates are read than are to be claimed, since others claim at the same time. */
const EXTRA_CANDIDATES = 10;

/** Fetches interactions by their index members, with or without their requests. */
type Fetch<T> = (references: readonly string[], reading: FetchOptions) => Promise<FetchResult<T>>;

/**
 * A tenant's pending interactions, oldest first. LIST_PENDING_OR_REGISTER_WAITER names the candidates in the index and hides claimed ones;
 * FETCH_OR_CLAIM_INTERACTIONS then filters them, reads as many as fit a page, and claims exactly those.
 */
export class PendingList extends TenantPart {
  private readonly reader: InteractionReader;
  private readonly wholeReads = new SingleFlight();
  private readonly summaryReads = new SingleFlight();

  constructor(context: TenantContext, reader: InteractionReader) {
    super(context);
    this.reader = reader;
  }

  /** With their requests; with `claim` only unclaimed ones, and they are claimed now. */
  async records(identity: Identity, query: PendingQuery): Promise<PendingPage> {
    const read: Fetch<InteractionRecord> = (references, reading) =>
      this.reader.records(identity, references, reading);
    // A claim is one caller's, and a caller that does not wait may expect something newer than a shared read has.
    if (query.claim !== undefined || query.channel === undefined) return this.page(identity, query, read);
    return this.wholeReads.run(queryKey(identity, query), () => this.page(identity, query, read));
  }

  /** Without their requests, and without claims. */
  async summaries(
    identity: Identity,
    query: Omit<PendingQuery, 'claim'>,
  ): Promise<PendingPage<InteractionSummary>> {
    const read: Fetch<InteractionSummary> = (references, reading) =>
      this.reader.summaries(identity, references, reading);
    if (query.channel === undefined) return this.page(identity, query, read);
    return this.summaryReads.run(queryKey(identity, query), () => this.page(identity, query, read));
  }

  private async page<T>(identity: Identity, query: PendingQuery, read: Fetch<T>): Promise<PendingPage<T>> {
    const { claim, operation, role, bounds, createdAfter, createdBefore = Infinity } = query;
    const origin = originFilters(query);
    const cursors = this.context.cursors.of('pending', identity, { operation, role, ...origin });
    const first = createdAfter === undefined ? START : { score: `${createdAfter}`, member: '' };
    let from = query.cursor === undefined ? first : parseCursor(cursors, query.cursor);
    let [freeInMs, reads] = [Number.POSITIVE_INFINITY, 0];
    const most = Math.min(query.limit ?? PAGE_SIZE, claim?.max ?? PAGE_SIZE);
    const isBefore = (position: Position) => Number(position.score) < createdBefore;
    let unfiltered = [operation, role, ...Object.values(origin)].every((filter) => filter === undefined);
    for (;;) {
      const listed = await this.readIndex(identity, from, query, unfiltered);
      freeInMs = Math.min(freeInMs, listed.freeInMs);
      const found = listed.found.filter(isBefore);
      const next = listed.next !== undefined && isBefore(listed.next) ? listed.next : undefined;
      // All that the caller might take is claimed: what is free may stand behind it.
      const isClaimed = found.length === 0 && Number.isFinite(listed.freeInMs);
      if (isClaimed && next !== undefined && ++reads < MOST_INDEX_READS) {
        from = next;
        continue;
      }
      const references = found.map(({ member }) => member);
      const result = await read(references, { status: 'pending', operation, role, most, claim, bounds });
      // Others have claimed all of them: the index has by now what is left.
      if (result.items.length === 0 && result.contended > 0) continue;
      // All ended in between. LIST_PENDING_OR_REGISTER_WAITER registered no waiter, since it found candidates: list again and register.
      if (result.items.length === 0 && found.length > 0 && unfiltered && query.channel !== undefined) {
        unfiltered = false;
        continue;
      }
      const last = result.scanned < found.length ? found[result.scanned - 1] : next;
      return {
        items: result.items,
        ...(Number.isFinite(freeInMs) ? { freeInMs } : {}),
        ...(result.items.length === 0 && found.length > 0 ? { mayHaveMore: true } : {}),
        ...(last === undefined ? {} : { nextCursor: formatCursor(cursors, afterMember(last)) }),
      };
    }
  }

  /** `unfiltered`: every candidate is a result, so that a waiter is registered only when there is none. */
  private async readIndex(
    identity: Identity,
    from: Position,
    { claim, channel = '', principal = '', limit = PAGE_SIZE }: PendingQuery,
    unfiltered: boolean,
  ) {
    const { keys } = this.context;
    const reply = await runScript(
      this.context,
      LIST_PENDING_OR_REGISTER_WAITER,
      { credential: credentialOf(identity, keys) },
      {
        ...admissionRecheckArgs(identity),
        score: from.score,
        member: from.member,
        limit:
          unfiltered && claim !== undefined
            ? Math.min(PAGE_SIZE, claim.max + EXTRA_CANDIDATES)
            : Math.max(PAGE_SIZE, limit),
        scanLimit: MAX_SCANNED_BY_SCRIPT,
        hideClaimed: claim === undefined ? 0 : 1,
        channel,
        unfiltered: unfiltered ? 1 : 0,
        owner: principal,
      },
    );
    if (reply[0] !== 'ok') throw refusalError(reply);
    identity.admittedBy?.recordExpiry(reply[1]);
    const [found, free, score, member] = reply.slice(2) as [string[], string, string?, string?];
    const next: Position | undefined = score && member ? { score, member } : undefined;
    return { found: parseMembersWithScores(found), next, freeInMs: free === '-1' ? Infinity : Number(free) };
  }
}

/** Queries with the same key have the same result: those of other API keys are checked, and so made, by themselves. */
function queryKey(identity: Identity, { cursor, channel, bounds, limit, ...filter }: PendingQuery): string {
  const { record, digest } = identity.admittedBy ?? {};
  return JSON.stringify([record, digest, cursor, channel, bounds, limit, claimGroup(identity, filter)]);
}

/** Claims of the same group may take the same interactions: it is enough that one of them hears of a new one. */
export function claimGroup(identity: Identity, query: Omit<InteractionFilter, 'status'>): string {
  return JSON.stringify([visiblePrincipal(identity), query.operation, query.role, originFilters(query)]);
}

/** The position behind a member, whatever its principal. */
function afterMember({ score, member }: Position): Position {
  return { score, member: `${withoutPrincipal(member)}|\u007f` };
}
