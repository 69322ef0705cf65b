import { BatonError, parseInteractionId, type TaskStatus } from '@baton/protocol';
import type { Identity } from './caller.ts';
import { type Claims, type ClaimWish, holderText } from './claims.ts';
import { formatCursor, parseCursor, type Position } from './cursor.ts';
import { type InteractionRecord, interactionRecord } from './interaction-record.ts';
import { parseReference } from './keys.ts';
import type { Place } from './place.ts';
import { refusal } from './refusal.ts';
import { run } from './script.ts';
import { LIST } from './scripts.ts';
import { parseProgram } from './task-view.ts';
import { refuseUnlessTask } from './tasks.ts';

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** Which pending interactions are wanted, and what for. */
export interface Look {
  readonly cursor?: string | undefined;
  readonly claim?: (ClaimWish & { readonly max: number }) | undefined;
  /** Only what it says yes to; a page may then be empty and still have a next one. */
  readonly only?: ((record: InteractionRecord) => boolean) | undefined;
  /** Is told under `backlog` when something becomes pending, if there is nothing now. */
  readonly channel?: string;
}

export interface PendingPage extends Page<InteractionRecord & { readonly claimedUntil?: number }> {
  /** In how many milliseconds something comes free that is hidden by a claim now. */
  readonly freeInMs?: number;
}

export interface TaskSummary {
  readonly taskId: string;
  readonly operation: string;
  readonly principal: string;
  readonly status: TaskStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

/** A task with everything that is stored of it, for people who look into it. */
export interface TaskInspection extends TaskSummary {
  readonly version: number;
  readonly input: unknown;
  /** Journal entries as text, by path. */
  readonly journal: ReadonlyMap<string, string>;
  readonly interactions: readonly InteractionRecord[];
  readonly payload?: string;
}

const PAGE = 50;
/** How many members one page may pass over; a page may be short and still have a next one. */
const EXAMINE = 2_000;

/** A tenant's interactions and tasks in pages. Without the scope `agent` a caller sees its own. */
export class Listing {
  private readonly place: Place;
  private readonly claims: Claims;

  constructor(place: Place, claims: Claims) {
    this.place = place;
    this.claims = claims;
  }

  /** The name to listen to for something that becomes pending, or free to be claimed. */
  get backlog(): string {
    return this.place.keys.backlog;
  }

  /** Pending interactions, oldest first; with `claim` those that nobody has claimed, and they are claimed now. */
  async pending(identity: Identity, look: Look): Promise<PendingPage> {
    const { claim, only } = look;
    // Which ones are wanted does not stand in the index: they are looked at first, and claimed one by one.
    if (only !== undefined) return this.picked(identity, look, only);
    const { found, until, ...page } = await this.look(identity, look, claim);
    const claimedUntil = claim === undefined ? {} : { claimedUntil: until };
    return { ...page, items: found.map(({ record }) => ({ ...record, ...claimedUntil })) };
  }

  private async picked(
    identity: Identity,
    look: Look,
    only: NonNullable<Look['only']>,
  ): Promise<PendingPage> {
    const { claim } = look;
    const { found, until: _, ...page } = await this.look(identity, look);
    const wanted = found.filter(({ record }) => only(record));
    if (claim === undefined) return { ...page, items: wanted.map(({ record }) => record) };
    const taken = wanted.slice(0, claim.max);
    const claimed = await Promise.all(
      taken.map(({ record }) => this.claims.claim(identity, record.interactionId, claim).catch(asGone)),
    );
    const items = taken.flatMap(({ record }, at) => {
      const claimedUntil = claimed[at];
      return claimedUntil === undefined ? [] : [{ ...record, claimedUntil }];
    });
    // What is left of this page is looked at again: it goes on behind the last one that was taken.
    const last = wanted.length > taken.length ? taken.at(-1)?.position : undefined;
    return { ...page, ...(last ? { nextCursor: cursorBehind(last) } : {}), items };
  }

  private async look(identity: Identity, { cursor, claim, channel = '' }: Look, lease?: Look['claim']) {
    const { connection, keys } = this.place;
    const from = parseCursor(cursor);
    const [found, until, free, score, member] = (await run(
      connection,
      LIST,
      { tenant: keys.record, pending: keys.pending, claims: keys.claims, holders: keys.holders },
      {
        principal: identity.scopes.has('agent') ? '' : identity.principal,
        score: from.score,
        member: from.member,
        most: lease?.max ?? PAGE,
        examine: EXAMINE,
        hide: claim === undefined ? 0 : 1,
        lease: lease?.leaseMs ?? 0,
        holder: holderText(identity, lease?.holder ?? ''),
        channel,
      },
    )) as [string[], string, string, string?, string?];
    const records = await Promise.all(
      pairs(found).map(async (position) => {
        const { taskId, number } = parseReference(position.member);
        return { position, record: await this.record(taskId, number) };
      }),
    );
    return {
      found: records.flatMap(({ position, record }) =>
        record?.status === 'pending' ? [{ position, record }] : [],
      ),
      until: Number(until),
      ...(Number(free) < 0 ? {} : { freeInMs: Number(free) }),
      ...(score && member ? { nextCursor: cursorBehind({ score, member }) } : {}),
    };
  }

  /** One interaction, in whatever status. Errors: `interaction_not_found`. */
  async interaction(identity: Identity, id: string): Promise<InteractionRecord> {
    const parsed = parseInteractionId(id);
    const record = parsed && (await this.record(parsed.taskId, parsed.number));
    if (record === undefined || !maySee(identity, record.principal)) {
      throw refusal(['interaction_not_found'], { interactionId: id });
    }
    return record;
  }

  /** Tasks, newest first. */
  async tasks(identity: Identity, cursor?: string): Promise<Page<TaskSummary>> {
    const page = await this.taskPage(identity, cursor);
    const { connection, keys } = this.place;
    const rows = await Promise.all(
      page.items.map((taskId) =>
        connection.command((client) => client.hmget(keys.task(taskId), 'op', 'pr', 'st', 'at', 'up', 'ex')),
      ),
    );
    const items = page.items.flatMap((taskId, index) => {
      const [op, pr, st, at, up, ex] = rows[index] ?? [];
      return st ? [summary(taskId, { op, pr, st, at, up, ex })] : [];
    });
    return { ...page, items };
  }

  /** Interactions of any status, by walking the tasks, newest first. */
  async history(identity: Identity, cursor?: string): Promise<Page<InteractionRecord>> {
    const page = await this.taskPage(identity, cursor);
    const tasks = await Promise.all(page.items.map((taskId) => this.fields(taskId)));
    const items = page.items.flatMap((taskId, index) => interactionsOf(taskId, tasks[index] ?? {}));
    return { ...page, items };
  }

  /** Everything of one task. Errors: `task_not_found`. */
  async inspect(identity: Identity, taskId: string): Promise<TaskInspection> {
    refuseUnlessTask(taskId);
    const fields = await this.fields(taskId);
    if (fields['st'] === undefined || !maySee(identity, fields['pr'] ?? '')) {
      throw refusal(['task_not_found'], { taskId });
    }
    const journal = Object.entries(fields).flatMap(([field, value]): [string, string][] =>
      field.startsWith('j:') ? [[field.slice(2), value]] : [],
    );
    return {
      ...summary(taskId, fields),
      version: parseProgram(fields['op']).version,
      input: JSON.parse(fields['in'] ?? 'null'),
      journal: new Map(journal),
      interactions: interactionsOf(taskId, fields),
      ...(fields['rs'] === undefined ? {} : { payload: fields['rs'] }),
    };
  }

  private async taskPage(identity: Identity, cursor: string | undefined): Promise<Page<string>> {
    const { connection, keys } = this.place;
    const from = parseCursor(cursor);
    const upper = cursor === undefined ? '+inf' : from.score;
    const rows = await connection.command((client) =>
      client.zrange(keys.tasks, upper, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, EXAMINE, 'WITHSCORES'),
    );
    const all = pairs(rows).filter(
      ({ score, member }) => cursor === undefined || score !== from.score || member < from.member,
    );
    const visible = all.filter(({ member }) => maySee(identity, parseReference(member).principal));
    const page = visible.slice(0, PAGE);
    const more = visible.length > PAGE || rows.length / 2 === EXAMINE;
    const last = visible.length > PAGE ? page.at(-1) : all.at(-1);
    return {
      items: page.map(({ member }) => parseReference(member).taskId),
      ...(more && last
        ? { nextCursor: formatCursor({ ...last, member: `${referenceOf(last.member)}|` }) }
        : {}),
    };
  }

  private async record(taskId: string, number: number): Promise<InteractionRecord | undefined> {
    const names = ['op', 'pr', 'open', `i${number}`, `g${number}`, `x${number}`];
    const values = await this.place.connection.command((client) =>
      client.hmget(this.place.keys.task(taskId), ...names),
    );
    return interactionRecord(taskId, number, Object.fromEntries(names.map((name, at) => [name, values[at]])));
  }

  private fields(taskId: string): Promise<Record<string, string>> {
    return this.place.connection.command((client) => client.hgetall(this.place.keys.task(taskId)));
  }
}

function maySee(identity: Identity, principal: string): boolean {
  return identity.principal === principal || identity.scopes.has('agent');
}

function interactionsOf(taskId: string, fields: Record<string, string>): InteractionRecord[] {
  return Array.from({ length: Number(fields['sq'] ?? 0) }, (_, index) =>
    interactionRecord(taskId, index + 1, fields),
  ).flatMap((record) => record ?? []);
}

/** Whoever was faster, with an answer or a claim, has it. */
function asGone(thrown: unknown): undefined {
  if (thrown instanceof BatonError && thrown.code.startsWith('interaction_')) return undefined;
  throw thrown;
}

/** Where to go on behind a member, whoever it is of. */
function cursorBehind({ score, member }: Position): string {
  return formatCursor({ score, member: `${referenceOf(member)}|\u007f` });
}

/** A cursor goes to the caller, and the member that it stands at may be another principal's: the name stays here. */
function referenceOf(member: string): string {
  return member.slice(0, member.indexOf('|'));
}

function summary(taskId: string, fields: Readonly<Record<string, string | null | undefined>>): TaskSummary {
  return {
    taskId,
    operation: parseProgram(fields['op']).operation,
    principal: fields['pr'] ?? '',
    status: fields['st'] as TaskStatus,
    createdAt: Number(fields['at']),
    updatedAt: Number(fields['up'] ?? fields['at']),
    expiresAt: Number(fields['ex']),
  };
}

function pairs(flat: readonly string[]): Position[] {
  return Array.from({ length: flat.length / 2 }, (_, index) => ({
    member: flat[index * 2] ?? '',
    score: flat[index * 2 + 1] ?? '',
  }));
}
