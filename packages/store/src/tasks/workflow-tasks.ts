import { type JsonObject, type Scope, type TaskStatus, WORKFLOW_OPERATION } from '@baton/protocol';
import { admissionRecheckArgs, credentialOf } from '../identity/admission-recheck-args.ts';
import { formatScopes, type Identity, parseScopes } from '../identity/identity.ts';
import { refusalError } from '../records/refusal-error.ts';
import { FIELD } from '../records/task-record.ts';
import { COMPLETE_WORKFLOW, READ_PROGRESS, RECORD_PROGRESS } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { CallerAdmission } from '../tenant/caller-admission.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { requireTaskId } from './tasks.ts';

/** Whoever reads or changes how a workflow stands. */
type Caller = Pick<Identity, 'principal' | 'scopes'>;

/** The task of a workflow as it is stored; `parts` are texts by their paths. */
export interface StoredWorkflowTask {
  /** Who read it, as its key says. */
  readonly caller: Caller;
  /** The principal whose it is. */
  readonly owner: string;
  readonly status: TaskStatus;
  /** Undefined of an ended task that has lost what is large. */
  readonly input: JsonObject | undefined;
  readonly revision: number;
  readonly parts: ReadonlyMap<string, string>;
}

/** A change of the parts that were read at `revision`; `link` is the id of a task whose end is to be written among them, `failed` that of one whose failure is, and whose retry then counts. */
export interface ProgressUpdate {
  readonly revision: number;
  readonly sets: readonly (readonly [path: string, text: string])[];
  readonly drops: readonly string[];
  readonly link?: string | undefined;
  readonly failed?: string | undefined;
}

export type ProgressUpdated =
  | { readonly kind: 'recorded' }
  /** It has changed since it was read. */
  | { readonly kind: 'conflict' }
  /** The linked task has ended: its status, and its result or error. */
  | { readonly kind: 'child_ended'; readonly status: TaskStatus; readonly outcome: JsonObject };

/** The call of a step that is about to be made. */
export interface NextCall {
  readonly caller: CallerAdmission;
  /** The scopes of which it needs one. */
  readonly need: readonly Scope[];
}

/** No call is to be admitted. */
const NO_CALL = { digest: '', principal: '', scopes: '', need: '', bytes: 0, weight: 0, floor: '' };

/** How workflows stand. What of one is written is written by compare and set. */
export class WorkflowTasks extends TenantPart {
  /** Errors: `task_not_found`, `task_not_workflow`; those of an admission that ended. */
  async read(identity: Identity, taskId: string): Promise<StoredWorkflowTask> {
    requireTaskId(taskId);
    const { keys } = this.context;
    const reply = (await runScript(
      this.context,
      READ_PROGRESS,
      { credential: credentialOf(identity, keys), task: keys.task(taskId) },
      { ...admissionRecheckArgs(identity), operation: WORKFLOW_OPERATION },
    )) as string[];
    if (reply[0] !== 'ok') throw refusalError(reply, { taskId });
    const [principal = '', scopes = '', owner = '', status, input, revision, ...pairs] = reply.slice(1);
    const parts = new Map<string, string>();
    for (let at = 0; at + 1 < pairs.length; at += 2) parts.set(pairs[at] ?? '', pairs[at + 1] ?? '');
    return {
      caller: { principal, scopes: parseScopes(scopes) },
      owner,
      status: status as TaskStatus,
      input: input ? (JSON.parse(input) as JsonObject) : undefined,
      revision: Number(revision),
      parts,
    };
  }

  /** With what these tasks began, by their ids; those that have lost it are left out. */
  async inputs(taskIds: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const { connection, keys } = this.context;
    const found = new Map<string, JsonObject>();
    for (const taskId of taskIds) {
      const input = await connection.command((client) => client.hget(keys.task(taskId), FIELD.input));
      if (input) found.set(taskId, JSON.parse(input) as JsonObject);
    }
    return found;
  }

  /**
   * Writes a change, and with it admits the call of the step behind it, if there is one; that call finds out whether it was. What
   * is not written admits nothing. Errors: `task_not_found`, `task_ended`, `limit_storage`.
   */
  async update(
    { principal, scopes }: Caller,
    taskId: string,
    { revision, sets, drops, link, failed }: ProgressUpdate,
    next?: NextCall,
  ): Promise<ProgressUpdated> {
    const { keys } = this.context;
    const { task, topic, ref } = keys.taskNames(taskId);
    const child = link ?? failed;
    const reply = await runScript(
      this.context,
      RECORD_PROGRESS,
      {
        credential: next?.caller.credentialKey ?? keys.credential(''),
        task,
        child: child === undefined ? task : keys.task(child),
      },
      {
        ...(next?.caller.aheadArgs(next.need) ?? NO_CALL),
        owner: principal,
        ownerScopes: formatScopes(scopes),
        topic,
        ref,
        revision,
        link: link ?? '',
        failed: link === undefined ? (failed ?? '') : '',
        sets: sets.length,
      },
      { args: [...sets.flat(), ...drops] },
    );
    switch (reply[0]) {
      case 'recorded':
        if (reply.length > 1) next?.caller.takeAdmission(reply.slice(1));
        return { kind: 'recorded' };
      case 'conflict':
        return { kind: 'conflict' };
      case 'child_ended': {
        const outcome = JSON.parse(String(reply[2])) as JsonObject;
        return { kind: 'child_ended', status: reply[1] as TaskStatus, outcome };
      }
      default:
        throw refusalError(reply, { taskId });
    }
  }

  /**
   * Ends the task with its result, unless it has ended: of several ends that meet, one counts. `endingScope` is the scope with which another
   * principal's may be ended: `agent` for a run that has come to its end, `admin` for who ends it before. Errors: `task_not_found`,
   * `insufficient_scope`, `task_ended`, `task_not_workflow`, `limit_storage`.
   */
  async complete(
    identity: Identity,
    taskId: string,
    result: JsonObject,
    endingScope: 'agent' | 'admin' = 'admin',
  ): Promise<void> {
    requireTaskId(taskId);
    const { keys, lifetimes } = this.context;
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    const reply = await runScript(this.context, COMPLETE_WORKFLOW, names, {
      principal: identity.principal,
      scopes: formatScopes(identity.scopes),
      endingScope,
      topic,
      ref,
      operation: WORKFLOW_OPERATION,
      payload: JSON.stringify(result),
      retention: lifetimes.retention,
    });
    if (reply[0] !== 'completed') throw refusalError(reply, { taskId });
    this.context.addJob(String(reply[1]), taskId);
  }
}
