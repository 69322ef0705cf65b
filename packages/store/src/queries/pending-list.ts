import type { Identity } from '../records/identity.ts';
import type { ClaimRequest } from '../tasks/claims.ts';
import {
  formatCursor,
  parseMembersWithScores,
  parseCursor,
  type Position,
  withoutPrincipal,
} from '../records/cursor.ts';
import type { InteractionRecord, InteractionSummary } from '../records/interaction-record.ts';
import type {
  InteractionReader,
  FetchOptions,
  FetchResult,
  InteractionFilter,
} from './interaction-reader.ts';
import { MAX_SCANNED, PAGE_SIZE, type Page } from '../records/page.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { run } from '../scripts/script.ts';
import { LIST_PENDING } from '../scripts/registry.ts';
import { SingleFlight } from './single-flight.ts';

/** Which pending interactions are wanted, and what for. */
export interface PendingQuery extends Omit<InteractionFilter, 'status'> {
  readonly cursor?: string | undefined;
  readonly claim?: (ClaimRequest & { readonly max: number }) | undefined;
  /** Is told under `backlog` when something becomes pending, if there is nothing now. */
  readonly channel?: string;
}

export interface PendingPage<T = InteractionRecord> extends Page<T & { readonly claimedUntil?: number }> {
  /** In how many milliseconds something comes free that is hidden by a claim now. */
  readonly freeInMs?: number;
}

/** How many more than are claimed are looked at: others claim at the same time. */
const EXTRA_CANDIDATES = 10;

/** Reads what an index names: whole or in short. */
type Fetch<T> = (references: readonly string[], reading: FetchOptions) => Promise<FetchResult<T>>;

/**
 * A tenant's pending interactions, oldest first. The index says which there are and what is claimed; only what it names
 * and what is wanted is read, as much as fits a page, and only what is read is claimed.
 */
export class PendingList {
  private readonly context: TenantContext;
  private readonly reader: InteractionReader;
  private readonly singleFlight = new SingleFlight();

  constructor(context: TenantContext, reader: InteractionReader) {
    this.context = context;
    this.reader = reader;
  }

  /** With their whole requests; with `claim` those that nobody has claimed, and they are claimed now. */
  async records(identity: Identity, look: PendingQuery): Promise<PendingPage> {
    const read: Fetch<InteractionRecord> = (references, reading) => this.reader.records(references, reading);
    // A claim is one caller's; and who does not wait may know of something that is younger than others' look.
    if (look.claim !== undefined || look.channel === undefined) return this.page(identity, look, read);
    return this.singleFlight.run(queryKey(identity, look), () => this.page(identity, look, read));
  }

  /** Without their requests. */
  async summaries(
    identity: Identity,
    look: Omit<PendingQuery, 'claim' | 'channel'>,
  ): Promise<PendingPage<InteractionSummary>> {
    return this.page(identity, look, (references, reading) => this.reader.summaries(references, reading));
  }

  private async page<T>(identity: Identity, look: PendingQuery, read: Fetch<T>): Promise<PendingPage<T>> {
    const { claim: wish, operation, role } = look;
    const claimFor = wish && { identity, wish };
    const most = Math.min(PAGE_SIZE, wish?.max ?? PAGE_SIZE);
    let sure = operation === undefined && role === undefined;
    for (;;) {
      const { found, next, freeInMs } = await this.readIndex(identity, look, sure);
      const references = found.map(({ member }) => member);
      const shown = await read(references, { status: 'pending', operation, role, most, claimFor });
      // Others were faster with all of them: the index says by now what is left.
      if (shown.items.length === 0 && shown.contended > 0) continue;
      // It went in between: who waits would be told of nothing, since there seemed to be something.
      if (shown.items.length === 0 && found.length > 0 && sure && look.channel !== undefined) {
        sure = false;
        continue;
      }
      const last = shown.scanned < found.length ? found[shown.scanned - 1] : next;
      return {
        items: shown.items,
        ...(freeInMs < 0 ? {} : { freeInMs }),
        ...(last === undefined ? {} : { nextCursor: cursorAfter(last) }),
      };
    }
  }

  /** `sure`: whatever is found is something to whoever looks. */
  private async readIndex(identity: Identity, { cursor, claim, channel = '' }: PendingQuery, sure: boolean) {
    const { connection, keys } = this.context;
    const from = parseCursor(cursor);
    const [found, free, score, member] = (await run(
      connection,
      LIST_PENDING,
      { tenant: keys.record, pending: keys.pending, claims: keys.claims, holders: keys.holders },
      {
        principal: visiblePrincipal(identity),
        score: from.score,
        member: from.member,
        limit: sure && claim !== undefined ? Math.min(PAGE_SIZE, claim.max + EXTRA_CANDIDATES) : PAGE_SIZE,
        scanLimit: MAX_SCANNED,
        hideClaimed: claim === undefined ? 0 : 1,
        channel,
        unfiltered: sure ? 1 : 0,
      },
    )) as [string[], string, string?, string?];
    const next: Position | undefined = score && member ? { score, member } : undefined;
    return { found: parseMembersWithScores(found), next, freeInMs: Number(free) };
  }
}

/** Whose interactions are seen: with the scope `agent` everyone's. */
function visiblePrincipal({ principal, scopes }: Identity): string {
  return scopes.has('agent') ? '' : principal;
}

/** Looks of the same name see the same. */
function queryKey(identity: Identity, { cursor, operation, role, channel }: PendingQuery): string {
  return JSON.stringify([visiblePrincipal(identity), cursor, operation, role, channel]);
}

/** Where to go on behind a member, whoever it is of. */
function cursorAfter({ score, member }: Position): string {
  return formatCursor({ score, member: `${withoutPrincipal(member)}|\u007f` });
}
