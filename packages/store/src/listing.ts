import { parseInteractionId, type TaskStatus } from '@baton/protocol';
import { Backlog, type Look, type PendingPage } from './backlog.ts';
import { type Identity, maySee } from './caller.ts';
import { formatCursor, parseCursor, referenceOf } from './cursor.ts';
import { History, type Past } from './history.ts';
import { InteractionReader } from './interaction-reader.ts';
import { type InteractionRecord, interactionRecord, type InteractionSummary } from './interaction-record.ts';
import { parseReference, taskRef } from './keys.ts';
import type { Page } from './page.ts';
import type { Place } from './place.ts';
import { refusal } from './refusal.ts';
import { taskPage } from './task-index.ts';
import { parseProgram } from './task-view.ts';
import { refuseUnlessTask } from './tasks.ts';

export interface TaskSummary {
  readonly taskId: string;
  readonly operation: string;
  readonly principal: string;
  readonly status: TaskStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

/** A task with what is stored of it, but for its requests, for people who look into it. */
export interface TaskInspection extends TaskSummary {
  readonly version: number;
  readonly input: unknown;
  /** Journal entries as text, by path. */
  readonly journal: ReadonlyMap<string, string>;
  readonly interactions: readonly InteractionSummary[];
  readonly payload?: string;
}

/** How many interactions of one task are read at once. */
const SLICE = 500;

/**
 * A tenant's interactions and tasks in pages, which are bounded in number and in bytes. Without the scope `agent` a
 * caller sees its own.
 */
export class Listing {
  private readonly place: Place;
  private readonly reader: InteractionReader;
  private readonly waiting: Backlog;
  private readonly past: History;

  constructor(place: Place) {
    this.place = place;
    this.reader = new InteractionReader(place);
    this.waiting = new Backlog(place, this.reader);
    this.past = new History(place, this.reader);
  }

  /** The name to listen to for something that becomes pending, or free to be claimed. */
  get backlog(): string {
    return this.place.keys.backlog;
  }

  /** Pending interactions, oldest first; with `claim` those that nobody has claimed, and they are claimed now. */
  async pending(identity: Identity, look: Look): Promise<PendingPage> {
    return this.waiting.whole(identity, look);
  }

  /** The same without their requests, and without claims. */
  async pendingSummaries(
    identity: Identity,
    look: Omit<Look, 'claim' | 'channel'>,
  ): Promise<Page<InteractionSummary>> {
    return this.waiting.summaries(identity, look);
  }

  /** Interactions of any status, by walking the tasks, newest first. */
  async history(identity: Identity, past: Past = {}): Promise<Page<InteractionRecord>> {
    return this.past.whole(identity, past);
  }

  /** The same without their requests. */
  async historySummaries(identity: Identity, past: Past = {}): Promise<Page<InteractionSummary>> {
    return this.past.summaries(identity, past);
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
    const { connection, keys } = this.place;
    const from = cursor === undefined ? undefined : parseCursor(cursor);
    const { found, next } = await taskPage(this.place, identity, from);
    const ids = found.map(({ member }) => parseReference(member).taskId);
    const rows = await Promise.all(
      ids.map((taskId) =>
        connection.command((client) => client.hmget(keys.task(taskId), 'op', 'pr', 'st', 'at', 'up', 'ex')),
      ),
    );
    const items = ids.flatMap((taskId, index) => {
      const [op, pr, st, at, up, ex] = rows[index] ?? [];
      return st ? [summary(taskId, { op, pr, st, at, up, ex })] : [];
    });
    if (next === undefined) return { items };
    return { items, nextCursor: formatCursor({ ...next, member: `${referenceOf(next.member)}|` }) };
  }

  /** Everything of one task. Errors: `task_not_found`. */
  async inspect(identity: Identity, taskId: string): Promise<TaskInspection> {
    refuseUnlessTask(taskId);
    const fields = await this.fields(taskId);
    if (!fields['st'] || !maySee(identity, fields['pr'] ?? '')) {
      throw refusal(['task_not_found'], { taskId });
    }
    const journal = Object.entries(fields).flatMap(([field, value]): [string, string][] =>
      field.startsWith('j:') && value ? [[field.slice(2), value]] : [],
    );
    return {
      ...summary(taskId, fields),
      version: parseProgram(fields['op']).version,
      input: JSON.parse(fields['in'] ?? 'null'),
      journal: new Map(journal),
      interactions: await this.interactionsOf(taskId, Number(fields['sq'] ?? 0)),
      ...(fields['rs'] ? { payload: fields['rs'] } : {}),
    };
  }

  private async record(taskId: string, number: number): Promise<InteractionRecord | undefined> {
    const names = ['op', 'pr', 'open', `i${number}`, `g${number}`, `x${number}`];
    const values = await this.place.connection.command((client) =>
      client.hmget(this.place.keys.task(taskId), ...names),
    );
    return interactionRecord(taskId, number, Object.fromEntries(names.map((name, at) => [name, values[at]])));
  }

  /** All fields of a task but its requests and the chunks of answers, which are most of it. */
  private async fields(taskId: string): Promise<Record<string, string | null | undefined>> {
    const { connection, keys } = this.place;
    const all = await connection.command((client) => client.hkeys(keys.task(taskId)));
    const names = all.filter((name) => !/^[ic]\d/.test(name));
    if (names.length === 0) return {};
    const values = await connection.command((client) => client.hmget(keys.task(taskId), ...names));
    return Object.fromEntries(names.map((name, at) => [name, values[at]]));
  }

  private async interactionsOf(taskId: string, count: number): Promise<InteractionSummary[]> {
    const items: InteractionSummary[] = [];
    for (let from = 0; from < count; from += SLICE) {
      const numbers = Array.from({ length: Math.min(SLICE, count - from) }, (_, at) => from + at + 1);
      const references = numbers.map((number) => `${taskRef(taskId)}.${number}|`);
      const all = { most: SLICE, bytes: Number.MAX_SAFE_INTEGER };
      items.push(...(await this.reader.summaries(references, all)).items);
    }
    return items;
  }
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
