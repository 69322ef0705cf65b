import { parseInteractionId, type TaskStatus } from '@baton/protocol';
import { PendingList, type PendingQuery, type PendingPage } from './pending-list.ts';
import { type Identity, maySee } from '../records/identity.ts';
import { formatCursor, parseCursor, withoutPrincipal } from '../records/cursor.ts';
import { InteractionHistory, type HistoryQuery } from './interaction-history.ts';
import { InteractionReader } from './interaction-reader.ts';
import {
  type InteractionRecord,
  parseInteractionRecord,
  type InteractionSummary,
} from '../records/interaction-record.ts';
import { FIELD } from '../records/task-record.ts';
import { parseIndexMember, taskRef } from '../records/keys.ts';
import type { Page } from '../records/page.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { refusalError } from '../records/refusal-error.ts';
import { listVisibleTasks } from './task-index.ts';
import { parseProgramField } from '../records/program-field.ts';
import { requireTaskId } from '../tasks/tasks.ts';

const { program, principal, status, created_at, updated_at, expires_at } = FIELD;
/** What a task's summary is made of. */
const SUMMARY_FIELDS = [program, principal, status, created_at, updated_at, expires_at];

export interface TaskSummary {
  readonly taskId: string;
  readonly operation: string;
  readonly principal: string;
  readonly status: TaskStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

/** A task with everything stored of it but its requests, for people who debug it. */
export interface TaskInspection extends TaskSummary {
  readonly version: number;
  readonly input: unknown;
  /** Journal entries as text, by path. */
  readonly journal: ReadonlyMap<string, string>;
  readonly interactions: readonly InteractionSummary[];
  readonly payload?: string;
}

/** So many interactions of one task are read by one script. */
const FETCH_SIZE = 500;

/**
 * Reads a tenant's interactions and tasks in pages, which are bounded in number and in bytes. A caller without the scope
 * `agent` sees only its own.
 */
export class Queries {
  private readonly context: TenantContext;
  private readonly reader: InteractionReader;
  private readonly pendingList: PendingList;
  private readonly interactionHistory: InteractionHistory;

  constructor(context: TenantContext) {
    this.context = context;
    this.reader = new InteractionReader(context);
    this.pendingList = new PendingList(context, this.reader);
    this.interactionHistory = new InteractionHistory(context, this.reader);
  }

  /** The inbox topic of interactions that become pending, or free to be claimed. */
  get pendingTopic(): string {
    return this.context.keys.pendingTopic;
  }

  /** Pending interactions, oldest first; with `claim` only unclaimed ones, and they are claimed now. */
  async pending(identity: Identity, query: PendingQuery): Promise<PendingPage> {
    return this.pendingList.records(identity, query);
  }

  /** The same without their requests, and without claims. */
  async pendingSummaries(
    identity: Identity,
    query: Omit<PendingQuery, 'claim' | 'channel'>,
  ): Promise<Page<InteractionSummary>> {
    return this.pendingList.summaries(identity, query);
  }

  /** Interactions of any status: those of the newest task first. */
  async history(identity: Identity, query: HistoryQuery = {}): Promise<Page<InteractionRecord>> {
    return this.interactionHistory.records(identity, query);
  }

  /** The same without their requests. */
  async historySummaries(identity: Identity, query: HistoryQuery = {}): Promise<Page<InteractionSummary>> {
    return this.interactionHistory.summaries(identity, query);
  }

  /** One interaction, in whatever status. Errors: `interaction_not_found`. */
  async interaction(identity: Identity, id: string): Promise<InteractionRecord> {
    const parsed = parseInteractionId(id);
    const readInteraction = parsed && (await this.record(parsed.taskId, parsed.number));
    if (readInteraction === undefined || !maySee(identity, readInteraction.principal)) {
      throw refusalError(['interaction_not_found'], { interactionId: id });
    }
    return readInteraction;
  }

  /** Tasks, newest first. */
  async tasks(identity: Identity, cursor?: string): Promise<Page<TaskSummary>> {
    const { connection, keys } = this.context;
    const from = cursor === undefined ? undefined : parseCursor(cursor);
    const { found, next } = await listVisibleTasks(this.context, identity, from);
    const ids = found.map(({ member }) => parseIndexMember(member).taskId);
    const rows = await Promise.all(
      ids.map((taskId) => connection.command((client) => client.hmget(keys.task(taskId), ...SUMMARY_FIELDS))),
    );
    const items = ids.flatMap((taskId, index) => {
      const row = rows[index] ?? [];
      const fields = Object.fromEntries(SUMMARY_FIELDS.map((field, at) => [field, row[at]]));
      return fields[FIELD.status] ? [summary(taskId, fields)] : [];
    });
    if (next === undefined) return { items };
    return { items, nextCursor: formatCursor({ ...next, member: `${withoutPrincipal(next.member)}|` }) };
  }

  /** One task with its journal and its interactions. Errors: `task_not_found`. */
  async inspect(identity: Identity, taskId: string): Promise<TaskInspection> {
    requireTaskId(taskId);
    const readFields = await this.fields(taskId);
    if (!readFields[FIELD.status] || !maySee(identity, readFields[FIELD.principal] ?? '')) {
      throw refusalError(['task_not_found'], { taskId });
    }
    const payload = readFields[FIELD.outcome];
    const journal = Object.entries(readFields).flatMap(([field, value]): [string, string][] =>
      field.startsWith(FIELD.journal) && value ? [[field.slice(FIELD.journal.length), value]] : [],
    );
    return {
      ...summary(taskId, readFields),
      version: parseProgramField(readFields[FIELD.program]).version,
      input: JSON.parse(readFields[FIELD.input] ?? 'null'),
      journal: new Map(journal),
      interactions: await this.interactionsOf(taskId, Number(readFields[FIELD.interactions_opened] ?? 0)),
      ...(payload ? { payload } : {}),
    };
  }

  private async record(taskId: string, number: number): Promise<InteractionRecord | undefined> {
    const [program, principal, waits, answered, ended, request] = await this.context.connection.command(
      (client) =>
        client.hmget(
          this.context.keys.task(taskId),
          FIELD.program,
          FIELD.principal,
          FIELD.waits,
          `${FIELD.answered}${number}`,
          `${FIELD.ended}${number}`,
          `${FIELD.request}${number}`,
        ),
    );
    return parseInteractionRecord(taskId, number, { program, principal, waits, answered, ended, request });
  }

  /** All fields of a task but its requests and the chunks of answers, which are most of its size. */
  private async fields(taskId: string): Promise<Record<string, string | null | undefined>> {
    const { connection, keys } = this.context;
    const all = await connection.command((client) => client.hkeys(keys.task(taskId)));
    const names = all.filter((name) => !/^[ic]\d/.test(name));
    if (names.length === 0) return {};
    const values = await connection.command((client) => client.hmget(keys.task(taskId), ...names));
    return Object.fromEntries(names.map((name, at) => [name, values[at]]));
  }

  private async interactionsOf(taskId: string, count: number): Promise<InteractionSummary[]> {
    const items: InteractionSummary[] = [];
    for (let from = 0; from < count; from += FETCH_SIZE) {
      const numbers = Array.from({ length: Math.min(FETCH_SIZE, count - from) }, (_, at) => from + at + 1);
      const references = numbers.map((number) => `${taskRef(taskId)}.${number}|`);
      const all = { most: FETCH_SIZE, bytes: Number.MAX_SAFE_INTEGER };
      items.push(...(await this.reader.summaries(references, all)).items);
    }
    return items;
  }
}

function summary(taskId: string, fields: Readonly<Record<string, string | null | undefined>>): TaskSummary {
  return {
    taskId,
    operation: parseProgramField(fields[FIELD.program]).operation,
    principal: fields[FIELD.principal] ?? '',
    status: fields[FIELD.status] as TaskStatus,
    createdAt: Number(fields[FIELD.created_at]),
    updatedAt: Number(fields[FIELD.updated_at] ?? fields[FIELD.created_at]),
    expiresAt: Number(fields[FIELD.expires_at]),
  };
}
