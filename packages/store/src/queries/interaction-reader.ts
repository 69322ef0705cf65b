import type { InteractionStatus, Role } from '@baton/protocol';
import type { Identity } from '../tenant/caller.ts';
import { type ClaimRequest, formatHolder } from '../tasks/claims.ts';
import { type InteractionRecord, interactionRecord, type InteractionSummary } from '../records/interaction-record.ts';
import { PAGE_SIZE, PAGE_BYTES } from '../records/page.ts';
import { parseReference } from '../records/keys.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { run } from '../scripts/script.ts';
import { FETCH_INTERACTIONS } from '../scripts/registry.ts';

/** Which interactions are wanted; whatever they are where nothing is said. Questions to people have no role. */
export interface InteractionFilter {
  readonly status?: InteractionStatus | undefined;
  readonly operation?: string | undefined;
  readonly role?: Role | undefined;
}

/** What is to be read. */
export interface FetchOptions extends InteractionFilter {
  readonly most?: number;
  readonly bytes?: number;
  /** Whom what is shown is claimed for. */
  readonly claim?: { readonly identity: Identity; readonly wish: ClaimRequest } | undefined;
}

export interface FetchResult<T> {
  readonly items: readonly (T & { readonly claimedUntil?: number })[];
  /** How many were looked at before the page was full, from the first on. */
  readonly scanned: number;
  /** How many of those somebody else has claimed. */
  readonly contended: number;
}

/** Reads interactions that an index names by their references: what is wanted of them, and no more than fits a page. */
export class InteractionReader {
  private readonly context: TenantContext;

  constructor(place: TenantContext) {
    this.context = place;
  }

  async records(references: readonly string[], reading: FetchOptions): Promise<FetchResult<InteractionRecord>> {
    return this.fetch(references, reading, 1);
  }

  async summaries(references: readonly string[], reading: FetchOptions): Promise<FetchResult<InteractionSummary>> {
    return this.fetch(references, reading, 0);
  }

  private async fetch(
    references: readonly string[],
    { status, operation, role, most = PAGE_SIZE, bytes = PAGE_BYTES, claim }: FetchOptions,
    whole: 0 | 1,
  ): Promise<FetchResult<InteractionRecord>> {
    if (references.length === 0) return { items: [], scanned: 0, contended: 0 };
    const { connection, keys } = this.context;
    const [until, scanned, contended, ...fetched] = (await run(
      connection,
      FETCH_INTERACTIONS,
      { claims: keys.claims, holders: keys.holders },
      {
        status: status ?? '',
        operation: operation ?? '',
        role: role ?? '',
        most,
        bytes,
        whole,
        lease: claim?.wish.leaseMs ?? 0,
        holder: claim === undefined ? '' : formatHolder(claim.identity, claim.wish.holder ?? ''),
      },
      {
        keys: references.map((reference) => keys.task(parseReference(reference).taskId)),
        args: references,
      },
    )) as [string, number, number, ...[number, ...string[]][]];
    const claimed = claim === undefined ? {} : { claimedUntil: Number(until) };
    const items = fetched.flatMap(([at, op, pr, open, answered, ended, body]) => {
      const { taskId, number } = parseReference(references[at - 1] ?? '');
      const fields = { op, pr, open, [`g${number}`]: answered, [`x${number}`]: ended, [`i${number}`]: body };
      const record = interactionRecord(taskId, number, fields);
      return record === undefined ? [] : [{ ...record, ...claimed }];
    });
    return { items, scanned, contended };
  }
}
