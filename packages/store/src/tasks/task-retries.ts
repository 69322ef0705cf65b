import { type JsonObject, truncate, type WireError, WORKFLOW_OPERATION } from '@baton/protocol';
import { formatScopes, type Identity } from '../identity/identity.ts';
import { taskIdFromRef } from '../records/keys.ts';
import { unfinishedTaskTtl } from '../records/durations.ts';
import { refusalError } from '../records/refusal-error.ts';
import { RETRY } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import { TenantPart } from '../tenant/tenant-context.ts';
import { requireTaskId } from './tasks.ts';

/** A retry of a task, and the failure that it went on from. Times are milliseconds by Redis's clock. */
export interface TaskRetry {
  readonly at: number;
  readonly by: string;
  readonly failedAt: number;
  readonly code: string;
  readonly message: string;
}

/** What a task was for a workflow: the call of an operation. */
export interface RetriedStep {
  readonly workflowTaskId: string;
  readonly operation: string;
  readonly input: JsonObject;
}

/** `replayed`: this caller had retried it before, and it has not ended since. `event` is what a wait is for. */
export interface Retried {
  readonly taskId: string;
  readonly event: number;
  readonly replayed: boolean;
  /** Of a task that a step of a workflow had started, which waits for it no more. */
  readonly step?: RetriedStep;
}

const MAX_MESSAGE_LENGTH = 500;
const MAX_CODE_LENGTH = 64;

/** How often a task may fail again while it is being retried. */
const MAX_ATTEMPTS = 5;

/**
 * Indexes keep a task for ten times the life of its record, and one that is older than nine is retried no more: it lives once more at
 * most, and stays listed meanwhile.
 */
const LIVES_OF_A_TASK = 9;

/** The failure that a retry goes on from, as RETRY is told of it. */
interface Failure {
  readonly failedAt: string;
  readonly retry: string;
  readonly runnable: 0 | 1;
  /** The idempotency key of the task, as its record is named. */
  readonly digest: string;
}

const UNKNOWN: Failure = { failedAt: '', retry: '', runnable: 1, digest: '' };

/** Has tasks that failed go on. */
export class TaskRetries extends TenantPart {
  /**
   * Has a failed task go on from its journal, once for each failure: one's own, or with the scope `admin` another's. `channel`, an
   * inbox's, is notified of what comes of it. Errors: `task_not_found`, `insufficient_scope`, `task_not_failed`, `task_not_retryable`,
   * `program_unavailable`, `limit_pending`, `limit_storage`.
   */
  async retry(identity: Identity, taskId: string, channel = ''): Promise<Retried> {
    requireTaskId(taskId);
    let reply = await this.runRetry(identity, taskId, channel, UNKNOWN);
    // Only who may retry the task is told of its failure, and comes again with that; by then it may have failed anew.
    for (let attempt = 1; reply[0] === 'failure' && attempt <= MAX_ATTEMPTS; attempt++) {
      const [, failedAt = '', outcome = '{}', program = '', digest = ''] = reply.map(String);
      const { code, message } = JSON.parse(outcome) as WireError;
      const live = await this.context.workers.programs();
      reply = await this.runRetry(identity, taskId, channel, {
        failedAt,
        retry: JSON.stringify({
          by: identity.principal,
          failedAt: Number(failedAt),
          code: truncate(String(code), MAX_CODE_LENGTH),
          message: truncate(String(message), MAX_MESSAGE_LENGTH).toWellFormed(),
        }),
        runnable: live === undefined || live.has(program) ? 1 : 0,
        digest,
      });
    }
    if (reply[0] !== 'retried' && reply[0] !== 'replayed') throw refusalError(reply, { taskId });
    const [kind, event, next, parent = '', program, input] = reply.map(String);
    if (kind === 'replayed') return { taskId, event: Number(event), replayed: true };
    this.context.addJob(next ?? '', taskId);
    const retried = { taskId, event: Number(event), replayed: false };
    if (parent === '') return retried;
    const [operation = ''] = (program ?? '').split(' ');
    const step = {
      workflowTaskId: taskIdFromRef(parent),
      operation,
      input: JSON.parse(input ?? '{}') as JsonObject,
    };
    return { ...retried, step };
  }

  /** Whether the task would be retried, as far as it is known without retrying it. Errors: as for `retry`, but for those of limits. */
  async check(identity: Identity, taskId: string): Promise<void> {
    requireTaskId(taskId);
    const reply = await this.runRetry(identity, taskId, '', UNKNOWN);
    if (reply[0] !== 'failure') throw refusalError(reply, { taskId });
  }

  private runRetry(
    identity: Identity,
    taskId: string,
    channel: string,
    { failedAt, retry, runnable, digest }: Failure,
  ): Promise<unknown[]> {
    const { keys, lifetimes } = this.context;
    const names = keys.taskNames(taskId);
    const keep = unfinishedTaskTtl(lifetimes);
    return runScript(
      this.context,
      RETRY,
      { ...names, idempotency: keys.idempotency(digest) },
      {
        principal: identity.principal,
        scopes: formatScopes(identity.scopes),
        topic: names.topic,
        ref: names.ref,
        failedAt,
        retry,
        runnable,
        workflow: WORKFLOW_OPERATION,
        channel,
        life: lifetimes.task,
        keep,
        oldest: LIVES_OF_A_TASK * keep,
      },
    );
  }
}

/** Reads the field `retries`: the last ones, in their order. */
export function parseRetries(field: string | null | undefined): TaskRetry[] {
  return (field ?? '').split('\n').flatMap((line) => {
    const space = line.indexOf(' ');
    if (space < 0) return [];
    return [
      { at: Number(line.slice(0, space)), ...(JSON.parse(line.slice(space + 1)) as Omit<TaskRetry, 'at'>) },
    ];
  });
}
