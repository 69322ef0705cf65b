import { parseInteractionId, type TaskStatus } from '@baton/protocol';
import type { Identity } from './caller.ts';
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

  constructor(place: Place) {
    this.place = place;
  }

  /** Pending interactions, oldest first. With `claim` they are hidden from other claims for `leaseMs`. */
  async pending(
    identity: Identity,
    options: { cursor?: string | undefined; claim?: { max: number; leaseMs: number } | undefined },
  ): Promise<Page<InteractionRecord>> {
    const { connection, keys } = this.place;
    const from = parseCursor(options.cursor);
    const [found = [], last] = (await run(
      connection,
      LIST,
      { pending: keys.pending, claims: keys.claims },
      {
        principal: identity.scopes.has('agent') ? '' : identity.principal,
        score: from.score,
        member: from.member,
        most: options.claim?.max ?? PAGE,
        examine: EXAMINE,
        lease: options.claim?.leaseMs ?? 0,
      },
    )) as [string[]?, string[]?];
    const references = found.filter((_, index) => index % 2 === 1).map(parseReference);
    const records = await Promise.all(references.map(({ taskId, number }) => this.record(taskId, number)));
    const items = records.flatMap((record) => (record?.status === 'pending' ? [record] : []));
    const [score, member] = last ?? [];
    return {
      items,
      ...(score && member
        ? { nextCursor: formatCursor({ score, member: `${referenceOf(member)}|\u007f` }) }
        : {}),
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
