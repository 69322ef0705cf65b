import type { Identity } from './caller.ts';
import type { ClaimWish } from './claims.ts';
import { formatCursor, pairs, parseCursor, type Position, referenceOf } from './cursor.ts';
import type { InteractionRecord, InteractionSummary } from './interaction-record.ts';
import type { InteractionReader, Reading, Shown, Wanted } from './interaction-reader.ts';
import { EXAMINE, PAGE, type Page } from './page.ts';
import type { Place } from './place.ts';
import { run } from './scripts/script.ts';
import { LIST_PENDING } from './scripts/registry.ts';
import { SharedLooks } from './shared-looks.ts';

/** Which pending interactions are wanted, and what for. */
export interface Look extends Omit<Wanted, 'status'> {
  readonly cursor?: string | undefined;
  readonly claim?: (ClaimWish & { readonly max: number }) | undefined;
  /** Is told under `backlog` when something becomes pending, if there is nothing now. */
  readonly channel?: string;
}

export interface PendingPage<T = InteractionRecord> extends Page<T & { readonly claimedUntil?: number }> {
  /** In how many milliseconds something comes free that is hidden by a claim now. */
  readonly freeInMs?: number;
}

/** How many more than are claimed are looked at: others claim at the same time. */
const SPARE = 10;

/** Reads what an index names: whole or in short. */
type Read<T> = (references: readonly string[], reading: Reading) => Promise<Shown<T>>;

/**
 * A tenant's pending interactions, oldest first. The index says which there are and what is claimed; only what it names
 * and what is wanted is read, as much as fits a page, and only what is read is claimed.
 */
export class Backlog {
  private readonly place: Place;
  private readonly reader: InteractionReader;
  private readonly shared = new SharedLooks();

  constructor(place: Place, reader: InteractionReader) {
    this.place = place;
    this.reader = reader;
  }

  /** With their whole requests; with `claim` those that nobody has claimed, and they are claimed now. */
  async whole(identity: Identity, look: Look): Promise<PendingPage> {
    const read: Read<InteractionRecord> = (references, reading) => this.reader.whole(references, reading);
    // A claim is one caller's; and who does not wait may know of something that is younger than others' look.
    if (look.claim !== undefined || look.channel === undefined) return this.page(identity, look, read);
    return this.shared.look(nameOf(identity, look), () => this.page(identity, look, read));
  }

  /** Without their requests. */
  async summaries(
    identity: Identity,
    look: Omit<Look, 'claim' | 'channel'>,
  ): Promise<PendingPage<InteractionSummary>> {
    return this.page(identity, look, (references, reading) => this.reader.summaries(references, reading));
  }

  private async page<T>(identity: Identity, look: Look, read: Read<T>): Promise<PendingPage<T>> {
    const { claim: wish, operation, role } = look;
    const claim = wish && { identity, wish };
    const most = Math.min(PAGE, wish?.max ?? PAGE);
    let sure = operation === undefined && role === undefined;
    for (;;) {
      const { found, next, freeInMs } = await this.index(identity, look, sure);
      const references = found.map(({ member }) => member);
      const shown = await read(references, { status: 'pending', operation, role, most, claim });
      // Others were faster with all of them: the index says by now what is left.
      if (shown.items.length === 0 && shown.lost > 0) continue;
      // It went in between: who waits would be told of nothing, since there seemed to be something.
      if (shown.items.length === 0 && found.length > 0 && sure && look.channel !== undefined) {
        sure = false;
        continue;
      }
      const last = shown.looked < found.length ? found[shown.looked - 1] : next;
      return {
        items: shown.items,
        ...(freeInMs < 0 ? {} : { freeInMs }),
        ...(last === undefined ? {} : { nextCursor: cursorBehind(last) }),
      };
    }
  }

  /** `sure`: whatever is found is something to whoever looks. */
  private async index(identity: Identity, { cursor, claim, channel = '' }: Look, sure: boolean) {
    const { connection, keys } = this.place;
    const from = parseCursor(cursor);
    const [found, free, score, member] = (await run(
      connection,
      LIST_PENDING,
      { tenant: keys.record, pending: keys.pending, claims: keys.claims, holders: keys.holders },
      {
        principal: viewOf(identity),
        score: from.score,
        member: from.member,
        most: sure && claim !== undefined ? Math.min(PAGE, claim.max + SPARE) : PAGE,
        examine: EXAMINE,
        hide: claim === undefined ? 0 : 1,
        channel,
        sure: sure ? 1 : 0,
      },
    )) as [string[], string, string?, string?];
    const next: Position | undefined = score && member ? { score, member } : undefined;
    return { found: pairs(found), next, freeInMs: Number(free) };
  }
}

/** Whose interactions are seen: with the scope `agent` everyone's. */
function viewOf({ principal, scopes }: Identity): string {
  return scopes.has('agent') ? '' : principal;
}

/** Looks of the same name see the same. */
function nameOf(identity: Identity, { cursor, operation, role, channel }: Look): string {
  return JSON.stringify([viewOf(identity), cursor, operation, role, channel]);
}

/** Where to go on behind a member, whoever it is of. */
function cursorBehind({ score, member }: Position): string {
  return formatCursor({ score, member: `${referenceOf(member)}|\u007f` });
}
