import { isTurn, wakeTurnAfter } from '../conversations/conversation-queue.ts';
import { randomUUID } from 'node:crypto';
import { isTaskId, BatonError, type JsonObject, type Scope, taskIdFromUuid } from '@baton/protocol';
import { type Identity, parseScopes, formatScopes } from '../identity/identity.ts';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import { taskIdFromRef } from '../records/keys.ts';
import { OversizedRequestError } from '../records/oversized-request-error.ts';
import { parseOpenedInteractions, pushWaitArgs, type ParkRequest } from '../records/park-request.ts';
import { type TenantContext, TenantPart } from '../tenant/tenant-context.ts';
import { credentialOf, admittedCallerArgs } from '../identity/admission-recheck-args.ts';
import { ShownRequests } from '../conversations/shown-requests.ts';
import { refusalError } from '../records/refusal-error.ts';
import { runScript } from '../scripts/script.ts';
import { CANCEL, OPEN, READ_TASK_AND_REGISTER_WAITER } from '../scripts/registry.ts';
import { formatProgramField } from '../records/program-field.ts';
import {
  type ParkedTask,
  parkedTaskView,
  parseTaskView,
  type PendingInteraction,
  type TaskView,
} from '../records/task-view.ts';
import { runEndingScript } from './end-task.ts';
import { parseUnansweredWaits } from '../records/unanswered-waits.ts';
import { unfinishedTaskTtl } from '../records/durations.ts';

export interface NewTask extends Omit<ParkRequest, 'drops'> {
  readonly operation: string;
  readonly version: number;
  readonly input: JsonObject;
  /** The project that it is to change: a call for which there is no room is refused. */
  readonly changes?: { readonly project: string; readonly growth: number } | undefined;
  /** True when a worker is to run the task at once: it does not only wait for an interaction. */
  readonly ready: boolean;
  readonly idempotency?: { readonly key: string; readonly arguments: string } | undefined;
}

/** `pending` are the requests that a new task waits for. */
export type OpenedTask =
  | {
      readonly created: true;
      readonly taskId: string;
      readonly createdAt: number;
      readonly pending: readonly PendingInteraction[];
    }
  | { readonly created: false; readonly taskId: string };

/** What is read of the requests that a task waits for: the first whole and the others in short, all in short, or none. */
export type ReadPending = 'first' | 'summaries' | 'none';

const CALL: readonly Scope[] = ['mcp'];

/** So much of a client's name is kept with each task that it starts. */
const MAX_CLIENT_LENGTH = 100;

/** A tenant's tasks. Every change is one script, fenced by the state that it expects. */
export class Tasks extends TenantPart {
  private readonly shown = new ShownRequests(this.context);

  /**
   * Parks the first segment of a new task, or finds the task that the same idempotency key started.
   * Errors: OversizedRequest, after which the same caller may open again, and the refusals of OPEN.
   */
  async open(caller: CallerAdmission, task: NewTask): Promise<OpenedTask> {
    let { taskId, reply } = await this.runOpen(caller, task, '');
    const existingRef =
      reply[0] === 'exists' || reply[0] === 'idempotency_conflict' ? String(reply[1]) : undefined;
    // The record of an idempotency key may outlive its task; it is then stale, and replaced.
    if (existingRef !== undefined && !(await this.exists(taskIdFromRef(existingRef)))) {
      ({ taskId, reply } = await this.runOpen(caller, task, existingRef));
    }
    caller.recordAdmission(reply, reply[0] === 'opened' ? reply[3] : reply[0] === 'exists' && reply[2]);
    if (reply[0] === 'limit_size' && reply.length > 4) {
      caller.setIdentity({ principal: String(reply[5]), scopes: parseScopes(String(reply[6])) });
      throw new OversizedRequestError(reply);
    }
    if (reply[0] === 'idempotency_conflict')
      throw refusalError(reply, { taskId: taskIdFromRef(String(reply[1])) });
    if (reply[0] !== 'opened' && reply[0] !== 'exists') throw refusalError(reply);
    if (reply[0] === 'exists') return { created: false, taskId: taskIdFromRef(String(reply[1])) };
    this.context.addJob(String(reply[1]), taskId);
    const pending = parseOpenedInteractions(taskId, task.waits, [reply[2], ...reply.slice(4)]);
    return {
      created: true,
      taskId,
      createdAt: Number(reply[2]),
      pending: await this.shown.complete(pending),
    };
  }

  /**
   * The task that an idempotency key started with the same arguments, if its record still exists.
   * Errors: `idempotency_conflict`.
   */
  async findByIdempotencyKey(idempotency: NonNullable<NewTask['idempotency']>): Promise<string | undefined> {
    const found = await this.readIdempotencyKey(idempotency.key);
    if (found === undefined) return undefined;
    if (found.given !== idempotency.arguments)
      throw refusalError(['idempotency_conflict'], { taskId: found.taskId });
    return found.taskId;
  }

  /** The task that an idempotency key started, whatever its arguments, if its record still exists. */
  async findByKey(key: string): Promise<string | undefined> {
    return (await this.readIdempotencyKey(key))?.taskId;
  }

  private async readIdempotencyKey(key: string): Promise<{ taskId: string; given: string } | undefined> {
    const { connection, keys } = this.context;
    const [ref, given] = await connection.command((client) =>
      client.hmget(keys.idempotency(key), 'ref', 'arguments'),
    );
    if (!ref || !(await this.exists(taskIdFromRef(ref)))) return undefined;
    return { taskId: taskIdFromRef(ref), given: given ?? '' };
  }

  /**
   * A task's current state; `channel`, an inbox's, is notified when it changes. Errors: `task_not_found`, those of an admission that ended.
   */
  async read(
    identity: Identity,
    taskId: string,
    channel = '',
    pending: ReadPending = 'first',
  ): Promise<TaskView> {
    requireTaskId(taskId);
    const credential = credentialOf(identity, this.context.keys);
    const args = { ...admittedCallerArgs(identity), channel, pending };
    const reply = await this.runRead(taskId, credential, args);
    if (reply[0] !== 'ok') throw refusalError(reply, { taskId });
    identity.admittedBy?.recordExpiry(reply[1]);
    return this.completeView(parseTaskView(taskId, reply.slice(3)), identity.principal);
  }

  /** The same for a call that is admitted by it, which needs one of the scopes in `need`. Errors: `task_not_found`, the refusals of ADMIT. */
  async readFor(caller: CallerAdmission, need: readonly Scope[], taskId: string): Promise<TaskView> {
    requireTaskId(taskId);
    const args = { ...(await caller.admissionArgs(need)), channel: '', pending: 'first' };
    const reply = await this.runRead(taskId, caller.credentialKey, args);
    caller.recordAdmission(reply, reply[2]);
    if (reply[0] !== 'ok') throw refusalError(reply, { taskId });
    caller.recordExpiry(reply[1]);
    return this.completeView(parseTaskView(taskId, reply.slice(3)), caller.principal);
  }

  private runRead(
    taskId: string,
    credential: string,
    args: Readonly<Record<(typeof READ_TASK_AND_REGISTER_WAITER.args)[number], string | number>>,
  ): Promise<unknown[]> {
    const { keys } = this.context;
    const own = { credential, task: keys.task(taskId) };
    return runScript(this.context, READ_TASK_AND_REGISTER_WAITER, own, args);
  }

  /** Of several requests only the one that is shown whole was read whole. */
  private async completeView(view: TaskView, reader: string | undefined): Promise<TaskView> {
    if (!('pending' in view) || view.pending.length === 0) return view;
    const { shown } = this;
    const isOwner = view.principal === reader;
    const pending = isOwner ? shown.complete(view.pending) : shown.withHistories(view.pending);
    return { ...view, pending: await pending };
  }

  /** A task as `read` gives it, of which an update says that it has parked. Errors: `unavailable`. */
  async showParked(taskId: string, seen: number, parked: ParkedTask): Promise<TaskView> {
    const view = parkedTaskView(taskId, seen, parked);
    return { ...view, pending: await this.shown.withHistories(view.pending) };
  }

  /** Ends a task as cancelled: one's own, or with the scope `admin` another's. Errors: `task_not_found`, `insufficient_scope`, `task_ended`. */
  async cancel(identity: Identity, taskId: string): Promise<void> {
    requireTaskId(taskId);
    const error = new BatonError('task_cancelled', `Task '${taskId}' was cancelled.`, { taskId });
    const reply = await runCancel(this.context, identity, taskId, 0, error);
    if (reply[0] !== 'cancelled') throw refusalError(reply, { taskId });
    if (isTurn(String(reply[3]))) await wakeTurnAfter(this.context, taskId);
  }

  /** The inbox topic of a task's updates. */
  topic(taskId: string): string {
    return this.context.keys.topic(taskId);
  }

  private async runOpen(
    caller: CallerAdmission,
    task: NewTask,
    staleRef: string,
  ): Promise<{ taskId: string; reply: unknown[] }> {
    const { keys, lifetimes } = this.context;
    const taskId = taskIdFromUuid(randomUUID());
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    // Written out: a spread would make V8 copy this object field by field in every call.
    const { digest, principal, scopes, need, bytes, weight, floor } = await caller.admissionArgs(CALL);
    const args: (string | number)[] = [];
    for (const [path, entry] of task.journal) args.push(path, entry);
    pushWaitArgs(args, task.waits, lifetimes);
    const reply = await runScript(
      this.context,
      OPEN,
      {
        ...names,
        credential: caller.credentialKey,
        idempotency: keys.idempotency(task.idempotency?.key ?? ''),
      },
      {
        digest,
        principal,
        scopes,
        need,
        bytes,
        weight,
        floor,
        topic,
        ref,
        operation: formatProgramField(task),
        input: JSON.stringify(task.input),
        arguments: task.idempotency?.arguments ?? '',
        idempotencyDigest: task.idempotency?.key ?? '',
        staleRef,
        life: lifetimes.task,
        keep: unfinishedTaskTtl(lifetimes),
        project: task.changes?.project ?? '',
        projectGrowth: task.changes?.growth ?? 0,
        journal: task.journal.length,
        waits: task.waits.length,
        ready: task.ready ? 1 : 0,
        traceparent: caller.traceparent,
        client: caller.client.slice(0, MAX_CLIENT_LENGTH).toWellFormed(),
      },
      { args },
    );
    return { taskId, reply };
  }

  private async exists(taskId: string): Promise<boolean> {
    return (
      (await this.context.connection.command((client) => client.exists(this.context.keys.task(taskId)))) === 1
    );
  }
}

/** Refuses an interaction's id, which differs from its task's id in the last digits only. Errors: `task_not_found`. */
export function requireTaskId(taskId: string): void {
  if (!isTaskId(taskId)) throw refusalError(['task_not_found'], { taskId });
}

/** CANCEL, for a task (number 0) or for one of its interactions; see the script's header for the reply. */
export async function runCancel(
  context: TenantContext,
  identity: Identity,
  taskId: string,
  number: number,
  error: BatonError,
): Promise<unknown[]> {
  const { keys, connection, lifetimes } = context;
  const names = keys.taskNames(taskId);
  const reply = await runEndingScript(keys, names.task, '', ({ key, parent }) =>
    runScript(
      { connection, keys },
      CANCEL,
      { ...names, parent: key },
      {
        principal: identity.principal,
        scopes: formatScopes(identity.scopes),
        topic: names.topic,
        ref: names.ref,
        number,
        payload: JSON.stringify(error.toWire()),
        retention: lifetimes.retention,
        parent,
      },
    ),
  );
  if (reply[0] !== 'cancelled') return reply;
  context.addJob(String(reply[1]), taskId);
  const ended = { tenant: keys.name, taskId, code: 'interaction_cancelled' } as const;
  context.onUnanswered(parseUnansweredWaits(reply[2], ended));
  return reply;
}
