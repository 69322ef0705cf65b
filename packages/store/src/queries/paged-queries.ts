import { parseInteractionId, type TaskStatus, type UsageSums, type WireError } from '@baton/protocol';
import { PendingList } from './pending-list.ts';
import { formatScopes, type Identity } from '../identity/identity.ts';
import type { ListCursors } from '../cursors/cursor-seal.ts';
import { formatCursor, parseCursor, type Position, withoutPrincipal } from '../cursors/cursor.ts';
import { InteractionHistory } from './interaction-history.ts';
import { InteractionReader } from './interaction-reader.ts';
import {
  type InteractionRecord,
  parseInteractionRecord,
  type InteractionSummary,
} from '../records/interaction-record.ts';
import { FIELD } from '../records/task-record.ts';
import { parseIndexMember, taskRef } from '../records/keys.ts';
import {
  MAX_PAGE_SIZE,
  type OwnerAndTimeFilter,
  originFilters,
  PAGE_SIZE,
  type Page,
} from '../records/page.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { refusalError } from '../records/refusal-error.ts';
import { listVisibleTasks } from './task-index.ts';
import { ShownRequests } from '../conversations/shown-requests.ts';
import { parseUsageSums } from '../records/usage-sums.ts';
import { parseProgramField } from '../records/program-field.ts';
import { scanTaskFields } from '../tasks/scan-task-fields.ts';
import { parseRetries, type TaskRetry } from '../tasks/task-retries.ts';
import { requireTaskId } from '../tasks/tasks.ts';
import { runScript } from '../scripts/script.ts';
import { READ_INTERACTION } from '../scripts/registry.ts';

const { program, principal, client, status, created_at, updated_at, expires_at } = FIELD;
/** What a task's summary is made of. */
const SUMMARY_FIELDS = [program, principal, client, status, created_at, updated_at, expires_at];

export interface TaskSummary {
  readonly taskId: string;
  readonly operation: string;
  readonly principal: string;
  /** The name of the program that made its call, where it gave one. */
  readonly client?: string;
  readonly status: TaskStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
}

/** Which tasks to return; an absent field matches all. */
export interface TaskFilter extends OwnerAndTimeFilter {
  readonly status?: TaskStatus | undefined;
  readonly operation?: string | undefined;
  /** Of tasks that failed or were cancelled: the code of their error. */
  readonly errorCode?: string | undefined;
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
  /** Its last retries, in their order. */
  readonly retries: readonly TaskRetry[];
  /** Of the request that started it; absent unless that was traced. */
  readonly traceparent?: string;
}

/** So many interactions of one task are read by one script. */
const FETCH_SIZE = 500;

/**
 * Reads a tenant's interactions and tasks in pages, which are bounded in number and in bytes. A caller without the scope
 * `agent` sees only its own.
 */
export class PagedQueries extends TenantPart {
  private readonly reader = new InteractionReader(this.context);
  private readonly shown = new ShownRequests(this.context);
  /** Pending interactions, oldest first. */
  readonly pending = new PendingList(this.context, this.reader);
  /** Interactions of any status: those of the newest task first. */
  readonly history = new InteractionHistory(this.context, this.reader);

  /** One interaction, in whatever status. Errors: `interaction_not_found`. */
  async interaction(identity: Identity, id: string): Promise<InteractionRecord> {
    const parsed = parseInteractionId(id);
    const record = parsed && (await this.record(identity, parsed.taskId, parsed.number));
    if (record === undefined) throw refusalError(['interaction_not_found'], { interactionId: id });
    return record;
  }

  /** Those of these interactions that a caller may see, whose key is checked again. Errors: those of an admission that ended. */
  async interactions(identity: Identity, ids: readonly string[]): Promise<readonly InteractionRecord[]> {
    const references = ids.flatMap((id) => {
      const parsed = parseInteractionId(id);
      return parsed === undefined ? [] : [`${taskRef(parsed.taskId)}.${parsed.number}|`];
    });
    return (await this.reader.records(identity, references, {})).items;
  }

  /**
   * Tasks, newest first. A page looks at PAGE_SIZE of them, whether they match or not; with a `limit` at MAX_PAGE_SIZE, until so many
   * matched.
   */
  async tasks(
    identity: Identity,
    cursor?: string,
    filter: TaskFilter = {},
    limit?: number,
  ): Promise<Page<TaskSummary>> {
    const { status, operation, errorCode } = filter;
    const bound = { status, operation, errorCode, ...originFilters(filter) };
    const cursors = this.context.cursors.of('tasks', identity, bound);
    let from = cursor === undefined ? undefined : parseCursor(cursors, cursor);
    const items: TaskSummary[] = [];
    const looks = limit === undefined ? 1 : MAX_PAGE_SIZE / PAGE_SIZE;
    for (let look = 0; look < looks; look++) {
      const { found, next } = await listVisibleTasks(this.context, identity, from, filter);
      const matches = await this.matchingTasks(found, filter);
      for (const [at, task] of matches.entries()) {
        if (task !== undefined) items.push(task);
        const isLast = at === matches.length - 1 && next === undefined;
        if (items.length === limit && !isLast) return { items, nextCursor: cursorBehind(cursors, found[at]) };
      }
      if (next === undefined) return { items };
      from = { ...next, member: `${withoutPrincipal(next.member)}|` };
      if (items.length === limit) break;
    }
    return { items, nextCursor: cursorBehind(cursors, from) };
  }

  /** The tasks at these positions, undefined in the place of each that does not match. */
  private async matchingTasks(
    positions: readonly Position[],
    { status, operation, errorCode }: TaskFilter,
  ): Promise<(TaskSummary | undefined)[]> {
    const { connection, keys } = this.context;
    const read = (taskId: string, ...fields: string[]) =>
      connection.command((client) => client.hmget(keys.task(taskId), ...fields));
    return Promise.all(
      positions.map(async ({ member }) => {
        const { taskId } = parseIndexMember(member);
        const row = await read(taskId, ...SUMMARY_FIELDS);
        const fields = Object.fromEntries(SUMMARY_FIELDS.map((field, at) => [field, row[at]]));
        if (!fields[FIELD.status]) return undefined;
        const task = summary(taskId, fields);
        if (task.status !== (status ?? task.status) || task.operation !== (operation ?? task.operation))
          return undefined;
        if (errorCode === undefined) return task;
        // A result may be large, and is no error.
        if (task.status !== 'failed' && task.status !== 'cancelled') return undefined;
        const [outcome] = await read(taskId, FIELD.outcome);
        return (JSON.parse(outcome ?? '{}') as Partial<WireError>).code === errorCode ? task : undefined;
      }),
    );
  }

  /** One task with its journal and its interactions. Errors: `task_not_found`. */
  async inspect(identity: Identity, taskId: string): Promise<TaskInspection> {
    requireTaskId(taskId);
    const readFields = await this.fields(identity, taskId);
    const payload = readFields[FIELD.outcome];
    const usage = parseUsageSums(readFields[FIELD.usage]);
    const traceparent = readFields[FIELD.traceparent];
    const journal = Object.entries(readFields).flatMap(([field, value]): [string, string][] =>
      field.startsWith(FIELD.journal) && value ? [[field.slice(FIELD.journal.length), value]] : [],
    );
    return {
      ...summary(taskId, readFields),
      version: parseProgramField(readFields[FIELD.program]).version,
      input: JSON.parse(readFields[FIELD.input] ?? 'null'),
      journal: new Map(journal),
      retries: parseRetries(readFields[FIELD.retries]),
      interactions: await this.interactionsOf(
        identity,
        taskId,
        Number(readFields[FIELD.interactions_opened] ?? 0),
      ),
      ...(payload ? { payload } : {}),
      ...(usage && { usage }),
      ...(traceparent !== undefined && { traceparent }),
    };
  }

  /** Undefined where the caller may not see it, or there is none. */
  private async record(
    identity: Identity,
    taskId: string,
    number: number,
  ): Promise<InteractionRecord | undefined> {
    const { keys } = this.context;
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    const { principal: reader, scopes } = identity;
    const reply = await runScript(this.context, READ_INTERACTION, names, {
      principal: reader,
      scopes: formatScopes(scopes),
      topic,
      ref,
      number,
    });
    if (reply[0] !== 'ok') return undefined;
    const [program, principal, waits, answered, ended, request, lastClaim, claimedUntil, client] =
      reply[1] as (string | null)[];
    const fields = { program, principal, waits, answered, ended, request, lastClaim, claimedUntil, client };
    const parsed = parseInteractionRecord(taskId, number, fields);
    return parsed && (await this.shown.withHistories([parsed]))[0];
  }

  /** All fields of a task but those of its interactions, which are most of its size. Errors: `task_not_found`. */
  private async fields(identity: Identity, taskId: string): Promise<Record<string, string>> {
    const { connection, keys } = this.context;
    const { principal } = identity;
    const reader = { principal, scopes: formatScopes(identity.scopes) };
    return Object.fromEntries(await scanTaskFields(connection, keys.task(taskId), taskId, reader));
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

function cursorBehind(cursors: ListCursors, position: Position | undefined): string {
  const { score = '', member = '' } = position ?? {};
  return formatCursor(cursors, { score, member: `${withoutPrincipal(member)}|` });
}

function summary(taskId: string, fields: Readonly<Record<string, string | null | undefined>>): TaskSummary {
  const name = fields[FIELD.client];
  return {
    taskId,
    operation: parseProgramField(fields[FIELD.program]).operation,
    principal: fields[FIELD.principal] ?? '',
    ...(name && { client: name }),
    status: fields[FIELD.status] as TaskStatus,
    createdAt: Number(fields[FIELD.created_at]),
    updatedAt: Number(fields[FIELD.updated_at] ?? fields[FIELD.created_at]),
    expiresAt: Number(fields[FIELD.expires_at]),
  };
}
