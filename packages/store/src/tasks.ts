import { randomUUID } from 'node:crypto';
import { isTaskId, BatonError, type JsonObject, type Scope, taskIdFrom } from '@baton/protocol';
import { type Caller, type Identity, parseScopes, scopeText } from './caller.ts';
import { taskIdOf, taskRef } from './keys.ts';
import { OversizedRequest } from './oversized-request.ts';
import { addWaits, type Parked } from './parked.ts';
import type { Place } from './place.ts';
import { refusal } from './refusal.ts';
import { run } from './scripts/script.ts';
import { CANCEL, OPEN, READ_TASK } from './scripts/registry.ts';
import { formatProgram, parseTaskView, type TaskView } from './task-view.ts';
import { keepFor } from './ttl.ts';

export interface NewTask extends Omit<Parked, 'drops'> {
  readonly operation: string;
  readonly version: number;
  readonly input: JsonObject;
  /** True when a worker has something to do at once, before anyone outside does. */
  readonly ready: boolean;
  readonly idempotency?: { readonly key: string; readonly arguments: string } | undefined;
}

/** `createdAt` is known of a new task only: milliseconds by Redis's clock. */
export type Opened =
  | { readonly created: true; readonly taskId: string; readonly createdAt: number }
  | { readonly created: false; readonly taskId: string };

const CALL: readonly Scope[] = ['mcp'];

/** A tenant's tasks. Every change is one script, fenced by the state that it expects. */
export class Tasks {
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  /**
   * Parks the first segment of a new task, or finds the task that the same idempotency key started.
   * Errors: OversizedRequest, after which the same caller may open again, and the refusals of OPEN.
   */
  async open(caller: Caller, task: NewTask): Promise<Opened> {
    let { taskId, reply } = await this.tryOpen(caller, task, '');
    const known = reply[0] === 'exists' || reply[0] === 'idempotency_conflict' ? String(reply[1]) : undefined;
    // An idempotency key's record may outlive its task, and then means nothing.
    if (known !== undefined && !(await this.exists(taskIdOf(known)))) {
      ({ taskId, reply } = await this.tryOpen(caller, task, known));
    }
    caller.settle(reply);
    if (reply[0] === 'limit_size' && reply.length > 4) {
      caller.know({ principal: String(reply[5]), scopes: parseScopes(String(reply[6])) });
      throw new OversizedRequest(reply);
    }
    if (reply[0] !== 'opened' && reply[0] !== 'exists') throw refusal(reply);
    if (reply[0] === 'exists') return { created: false, taskId: taskIdOf(String(reply[1])) };
    this.place.addJob(String(reply[1]), taskId);
    return { created: true, taskId, createdAt: Number(reply[2]) };
  }

  /**
   * The task that an idempotency key started before, with these arguments and of which something is left.
   * Errors: `idempotency_conflict`.
   */
  async known(idempotency: NonNullable<NewTask['idempotency']>): Promise<string | undefined> {
    const { connection, keys } = this.place;
    const [ref, given] = await connection.command((client) =>
      client.hmget(keys.idempotency(idempotency.key), 'ref', 'arguments'),
    );
    if (!ref || !(await this.exists(taskIdOf(ref)))) return undefined;
    if (given !== idempotency.arguments) throw refusal(['idempotency_conflict']);
    return taskIdOf(ref);
  }

  /** How a task stands; `channel`, if given, is told when it moves on. Errors: `task_not_found`. */
  async read(identity: Identity, taskId: string, channel = ''): Promise<TaskView> {
    refuseUnlessTask(taskId);
    const reply = await run(
      this.place.connection,
      READ_TASK,
      { task: this.place.keys.task(taskId) },
      { principal: identity.principal, scopes: scopeText(identity.scopes), channel },
    );
    if (reply[0] !== 'ok') throw refusal(reply, { taskId });
    return parseTaskView(taskId, reply.slice(1));
  }

  /** Ends a task as cancelled. Errors: `task_not_found`, `task_ended`. */
  async cancel(identity: Identity, taskId: string): Promise<void> {
    refuseUnlessTask(taskId);
    const error = new BatonError('task_cancelled', `Task '${taskId}' was cancelled.`, { taskId });
    const reply = await runCancel(this.place, identity, taskId, 0, error);
    if (reply[0] !== 'cancelled') throw refusal(reply, { taskId });
  }

  /** The task's name in notices. */
  member(taskId: string): string {
    return this.place.keys.member(taskId);
  }

  private async tryOpen(
    caller: Caller,
    task: NewTask,
    gone: string,
  ): Promise<{ taskId: string; reply: unknown[] }> {
    const { keys, connection, lifetimes } = this.place;
    const taskId = taskIdFrom(randomUUID());
    const { task: key, member, ref } = keys.names(taskId);
    // Written out: a spread of the ticket would have every call build this object field by field.
    const { digest, principal, scopes, need, bytes, floor } = await caller.ticket(CALL);
    const args: (string | number)[] = [];
    for (const [path, entry] of task.journal) args.push(path, entry);
    addWaits(args, task.waits, lifetimes);
    const reply = await run(
      connection,
      OPEN,
      {
        credential: caller.credentialKey,
        tenant: keys.record,
        task: key,
        idempotency: keys.idempotency(task.idempotency?.key ?? ''),
        tasks: keys.tasks,
        pending: keys.pending,
        deadlines: keys.deadlines,
        due: keys.shard.due,
        ready: keys.ready,
        held: keys.held,
        jobs: keys.jobs,
        outstanding: keys.shard.outstanding,
        workers: keys.shard.workers,
        listeners: keys.listeners,
      },
      {
        digest,
        principal,
        scopes,
        need,
        bytes,
        floor,
        member,
        ref,
        operation: formatProgram(task),
        input: JSON.stringify(task.input),
        arguments: task.idempotency?.arguments ?? '',
        gone,
        life: lifetimes.task,
        keep: keepFor(lifetimes),
        journal: task.journal.length,
        opens: task.waits.length,
        ready: task.ready ? 1 : 0,
      },
      { args },
    );
    return { taskId, reply };
  }

  private async exists(taskId: string): Promise<boolean> {
    return (
      (await this.place.connection.command((client) => client.exists(this.place.keys.task(taskId)))) === 1
    );
  }
}

/** An interaction's id differs from its task's in its last digits only: it must not be taken for it. */
export function refuseUnlessTask(taskId: string): void {
  if (!isTaskId(taskId)) throw refusal(['task_not_found'], { taskId });
}

/** CANCEL, for a task (number 0) or for one of its interactions; see the script's header for the reply. */
export async function runCancel(
  place: Place,
  identity: Identity,
  taskId: string,
  number: number,
  error: BatonError,
): Promise<unknown[]> {
  const { keys, connection, lifetimes } = place;
  const reply = await run(
    connection,
    CANCEL,
    {
      tenant: keys.record,
      task: keys.task(taskId),
      pending: keys.pending,
      claims: keys.claims,
      deadlines: keys.deadlines,
      due: keys.shard.due,
      ...keys.queue,
      listeners: keys.listeners,
    },
    {
      principal: identity.principal,
      scopes: scopeText(identity.scopes),
      member: keys.member(taskId),
      ref: taskRef(taskId),
      number,
      payload: JSON.stringify(error.toWire()),
      retention: lifetimes.retention,
    },
  );
  if (reply[0] === 'cancelled') place.addJob(String(reply[1]), taskId);
  return reply;
}
