import type { InteractionStatus, Role } from '@baton/protocol';
import type { Identity } from './caller.ts';
import { type ClaimWish, holderText } from './claims.ts';
import { type InteractionRecord, interactionRecord, type InteractionSummary } from './interaction-record.ts';
import { PAGE, PAGE_BYTES } from './page.ts';
import { parseReference } from './keys.ts';
import type { Place } from './place.ts';
import { run } from './scripts/script.ts';
import { FETCH_INTERACTIONS } from './scripts/registry.ts';

/** Which interactions are wanted; whatever they are where nothing is said. Questions to people have no role. */
export interface Wanted {
  readonly status?: InteractionStatus | undefined;
  readonly operation?: string | undefined;
  readonly role?: Role | undefined;
}

/** What is to be read. */
export interface Reading extends Wanted {
  readonly most?: number;
  readonly bytes?: number;
  /** Whom what is shown is claimed for. */
  readonly claim?: { readonly identity: Identity; readonly wish: ClaimWish } | undefined;
}

export interface Shown<T> {
  readonly items: readonly (T & { readonly claimedUntil?: number })[];
  /** How many were looked at before the page was full, from the first on. */
  readonly looked: number;
  /** How many of those somebody else has claimed. */
  readonly lost: number;
}

/** Reads interactions that an index names by their references: what is wanted of them, and no more than fits a page. */
export class InteractionReader {
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  async whole(references: readonly string[], reading: Reading): Promise<Shown<InteractionRecord>> {
    return this.show(references, reading, 1);
  }

  async summaries(references: readonly string[], reading: Reading): Promise<Shown<InteractionSummary>> {
    return this.show(references, reading, 0);
  }

  private async show(
    references: readonly string[],
    { status, operation, role, most = PAGE, bytes = PAGE_BYTES, claim }: Reading,
    whole: 0 | 1,
  ): Promise<Shown<InteractionRecord>> {
    if (references.length === 0) return { items: [], looked: 0, lost: 0 };
    const { connection, keys } = this.place;
    const [until, looked, lost, ...shown] = (await run(
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
        holder: claim === undefined ? '' : holderText(claim.identity, claim.wish.holder ?? ''),
      },
      {
        keys: references.map((reference) => keys.task(parseReference(reference).taskId)),
        args: references,
      },
    )) as [string, number, number, ...[number, ...string[]][]];
    const claimed = claim === undefined ? {} : { claimedUntil: Number(until) };
    const items = shown.flatMap(([at, op, pr, open, answered, ended, body]) => {
      const { taskId, number } = parseReference(references[at - 1] ?? '');
      const fields = { op, pr, open, [`g${number}`]: answered, [`x${number}`]: ended, [`i${number}`]: body };
      const record = interactionRecord(taskId, number, fields);
      return record === undefined ? [] : [{ ...record, ...claimed }];
    });
    return { items, looked, lost };
  }
}
