import { parseInteractionId, type TaskStatus, type UsageSums } from '@baton/protocol';
import { PendingList, type PendingQuery, type PendingPage } from './pending-list.ts';
import { formatScopes, type Identity, maySee } from '../identity/identity.ts';
import { formatCursor, parseCursor, withoutPrincipal } from '../cursors/cursor.ts';
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
import { ShownRequests } from '../conversations/shown-requests.ts';
import { parseUsageSums } from '../records/usage-sums.ts';
import { parseProgramField } from '../records/program-field.ts';
import { readTaskPages } from '../tasks/task-pages.ts';
import { requireTaskId } from '../tasks/tasks.ts';
import { runScript } from '../scripts/script.ts';
import { READ_INTERACTION } from '../scripts/registry.ts';

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

/** Which tasks to return; an absent field matches all. */
export interface TaskFilter {
  readonly status?: TaskStatus | undefined;
  readonly operation?: string | undefined;
}

/** A task with everything stored of it but its requests, for people who debug it. */
export interface TaskInspection extends TaskSummary {
  readonly version: number;
  readonly input: unknown;
  /** Journal entries as text, by path. */
  readonly journal: ReadonlyMap<string, string>;
  readonly interactions: readonly InteractionSummary[];
  readonly payload?: string;
  /** What its answered LLM requests have used; absent before the first. */
  readonly usage?: UsageSums;
}

/** So many interactions of one task are read by one script. */
const FETCH_SIZE = 500;

/**
 * Reads a tenant's interactions and tasks in pages, which are bounded in number and in bytes. A caller without the scope
 * `agent` sees only its own.
 */
export class PagedQueries {
  private readonly context: TenantContext;
  private readonly reader: InteractionReader;
  private readonly shown: ShownRequests;
  private readonly pendingList: PendingList;
  private readonly interactionHistory: InteractionHistory;

  constructor(context: TenantContext) {
    this.context = context;
    this.reader = new InteractionReader(context);
    this.shown = new ShownRequests(context);
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
    const record = parsed && (await this.record(identity, parsed.taskId, parsed.number));
    if (record === undefined) throw refusalError(['interaction_not_found'], { interactionId: id });
    return record;
  }

  /** The same without its request. */
  async interactionSummary(identity: Identity, id: string): Promise<InteractionSummary> {
    const parsed = parseInteractionId(id);
    const reference = parsed && `${taskRef(parsed.taskId)}.${parsed.number}|`;
    const [found] = reference ? (await this.reader.summaries(identity, [reference], {})).items : [];
    if (found === undefined || !maySee(identity, found.principal)) {
      throw refusalError(['interaction_not_found'], { interactionId: id });
    }
    return found;
  }

  /** Tasks, newest first. */
  async tasks(identity: Identity, cursor?: string, filter: TaskFilter = {}): Promise<Page<TaskSummary>> {
    const { connection, keys } = this.context;
    const { status, operation } = filter;
    const cursors = this.context.cursors.of('tasks', identity, { status, operation });
    const from = cursor === undefined ? undefined : parseCursor(cursors, cursor);
    const { found, next } = await listVisibleTasks(this.context, identity, from);
    const ids = found.map(({ member }) => parseIndexMember(member).taskId);
    const rows = await Promise.all(
      ids.map((taskId) => connection.command((client) => client.hmget(keys.task(taskId), ...SUMMARY_FIELDS))),
    );
    const items = ids.flatMap((taskId, index) => {
      const row = rows[index] ?? [];
      const fields = Object.fromEntries(SUMMARY_FIELDS.map((field, at) => [field, row[at]]));
      if (!fields[FIELD.status]) return [];
      const task = summary(taskId, fields);
      const matches =
        task.status === (status ?? task.status) && task.operation === (operation ?? task.operation);
      return matches ? [task] : [];
    });
    if (next === undefined) return { items };
    const position = { ...next, member: `${withoutPrincipal(next.member)}|` };
    return { items, nextCursor: formatCursor(cursors, position) };
  }

  /** One task with its journal and its interactions. Errors: `task_not_found`. */
  async inspect(identity: Identity, taskId: string): Promise<TaskInspection> {
    requireTaskId(taskId);
    const readFields = await this.fields(identity, taskId);
    const payload = readFields[FIELD.outcome];
    const usage = parseUsageSums(readFields[FIELD.usage]);
    const journal = Object.entries(readFields).flatMap(([field, value]): [string, string][] =>
      field.startsWith(FIELD.journal) && value ? [[field.slice(FIELD.journal.length), value]] : [],
    );
    return {
      ...summary(taskId, readFields),
      version: parseProgramField(readFields[FIELD.program]).version,
      input: JSON.parse(readFields[FIELD.input] ?? 'null'),
      journal: new Map(journal),
      interactions: await this.interactionsOf(
        identity,
        taskId,
        Number(readFields[FIELD.interactions_opened] ?? 0),
      ),
      ...(payload ? { payload } : {}),
      ...(usage && { usage }),
    };
  }

  /** Undefined where the caller may not see it, or there is none. */
  private async record(
    identity: Identity,
    taskId: string,
    number: number,
  ): Promise<InteractionRecord | undefined> {
    const reply = await runScript(
      this.context.connection,
      READ_INTERACTION,
      this.context.keys.taskNames(taskId),
      { principal: identity.principal, scopes: formatScopes(identity.scopes), number },
    );
    if (reply[0] !== 'ok') return undefined;
    const [program, principal, waits, answered, ended, request] = reply[1] as (string | null)[];
    const fields = { program, principal, waits, answered, ended, request };
    const parsed = parseInteractionRecord(taskId, number, fields);
    return parsed && (await this.shown.complete([parsed]))[0];
  }

  /** All fields of a task but those of its interactions, which are most of its size. Errors: `task_not_found`. */
  private async fields(identity: Identity, taskId: string): Promise<Record<string, string>> {
    const { connection, keys } = this.context;
    const { principal } = identity;
    const reader = { principal, scopes: formatScopes(identity.scopes) };
    return Object.fromEntries(await readTaskPages(connection, keys.task(taskId), taskId, reader));
  }

  private async interactionsOf(
    identity: Identity,
    taskId: string,
    count: number,
  ): Promise<InteractionSummary[]> {
    const items: InteractionSummary[] = [];
    for (let from = 0; from < count; ) {
      const numbers = Array.from({ length: Math.min(FETCH_SIZE, count - from) }, (_, at) => from + at + 1);
      const references = numbers.map((number) => `${taskRef(taskId)}.${number}|`);
      const read = await this.reader.summaries(identity, references, { most: FETCH_SIZE });
      items.push(...read.items);
      from += read.scanned;
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
