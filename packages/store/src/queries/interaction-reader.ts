import type { InteractionStatus, RequestRole } from '@baton/protocol';
import { formatHolder, type Identity } from '../identity/identity.ts';
import type { ClaimRequest } from '../tasks/claims.ts';
import {
  type InteractionFields,
  type InteractionRecord,
  parseInteractionRecord,
  type InteractionSummary,
  parseInteractionSummary,
} from '../records/interaction-record.ts';
import {
  MAX_EXAMINED_BYTES,
  MAX_PAGE_BYTES,
  type OwnerAndTimeFilter,
  PAGE_SIZE,
  type PageBounds,
} from '../records/page.ts';
import { parseIndexMember } from '../records/keys.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { ShownRequests } from '../conversations/shown-requests.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { FETCH_OR_CLAIM_INTERACTIONS } from '../scripts/registry.ts';

/** Which interactions to return; an absent field matches all. A claim without a role takes no question to a person. */
export interface InteractionFilter extends OwnerAndTimeFilter {
  readonly status?: InteractionStatus | undefined;
  readonly operation?: string | undefined;
  readonly role?: RequestRole | undefined;
}

const PAGE_BOUNDS: PageBounds = { bytes: MAX_PAGE_BYTES, itemBytes: 0 };

/** A filter, the bounds of the page, and the claim to make. */
export interface FetchOptions extends InteractionFilter {
  readonly most?: number;
  readonly bounds?: PageBounds | undefined;
  /** Claims what is returned, for the caller. */
  readonly claim?: ClaimRequest | undefined;
}

export interface FetchResult<T> {
  readonly items: readonly T[];
  /** How many index members were read, from the first on, until the page was full. */
  readonly scanned: number;
  /** How many of those another holder has claimed. */
  readonly contended: number;
}

/**
 * Fetches interactions by their index members (`<ref>.<number>|<principal>`): those that the caller may see and that match,
 * as many as fit a page. Errors: those of an admission that ended.
 */
export class InteractionReader extends TenantPart {
  private readonly shown = new ShownRequests(this.context);

  /** Only a claim starts the time for an answer of those that have a limit of their own: whoever lists may answer none of them. */
  async records(
    identity: Identity,
    references: readonly string[],
    reading: FetchOptions,
  ): Promise<FetchResult<InteractionRecord>> {
    const fetched = await this.fetch(identity, references, reading, 1, parseInteractionRecord);
    const { items } = fetched;
    const isClaimed = reading.claim !== undefined;
    return {
      ...fetched,
      items: await (isClaimed ? this.shown.complete(items) : this.shown.withHistories(items)),
    };
  }

  async summaries(
    identity: Identity,
    references: readonly string[],
    reading: FetchOptions,
  ): Promise<FetchResult<InteractionSummary>> {
    return this.fetch(identity, references, reading, 0, parseInteractionSummary);
  }

  private async fetch<T>(
    identity: Identity,
    references: readonly string[],
    { status, operation, role, most = PAGE_SIZE, bounds = PAGE_BOUNDS, claim }: FetchOptions,
    whole: 0 | 1,
    parse: (taskId: string, number: number, fields: InteractionFields) => T | undefined,
  ): Promise<FetchResult<T>> {
    if (references.length === 0) return { items: [], scanned: 0, contended: 0 };
    const { keys } = this.context;
    const claimer = claim === undefined ? '' : formatHolder(identity, claim.holder ?? '');
    const tasks = references.map((reference) => keys.taskNames(parseIndexMember(reference).taskId));
    const reply = await runScript(
      this.context,
      FETCH_OR_CLAIM_INTERACTIONS,
      { credential: credentialOf(identity, keys), holder: keys.holder(claimer) },
      {
        ...admissionRecheckArgs(identity),
        status: status ?? '',
        operation: operation ?? '',
        role: role ?? '',
        limit: most,
        bytes: bounds.bytes,
        itemBytes: bounds.itemBytes,
        examine: MAX_EXAMINED_BYTES,
        whole,
        lease: claim?.leaseMs ?? 0,
        claimer,
      },
      {
        keys: [
          ...tasks.map(({ task }) => task),
          ...(status === 'pending' ? [] : tasks.map(({ past }) => past)),
        ],
        args: references,
      },
    );
    if (reply[0] !== 'ok') throw refusalError(reply);
    const [scanned, contended, ...fetched] = reply.slice(1) as [number, number, ...[number, ...string[]][]];
    const items = fetched.flatMap(([at, ...row]) => {
      const { taskId, number } = parseIndexMember(references[at - 1] ?? '');
      const [program, principal, waits, answered, ended, request, summary, lastClaim, claimedUntil, client] =
        row;
      const fields = {
        program,
        principal,
        waits,
        answered,
        ended,
        request,
        summary,
        lastClaim,
        claimedUntil,
        client,
      };
      return parse(taskId, number, fields) ?? [];
    });
    return { items, scanned, contended };
  }
}
