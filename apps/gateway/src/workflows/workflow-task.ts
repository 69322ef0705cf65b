import { BatonError } from '@baton/protocol';
import type { Identity, NextCall, StoredWorkflowTask, TenantStore } from '@baton/store';
import {
  changeBetween,
  type ChildEnd,
  newProgress,
  parseProgress,
  settleChildren,
  type WorkflowInput,
  type WorkflowProgress,
} from '@baton/workflows';
import type { AdmittedCall, Call } from '../call/call.ts';

/** How often a change is made again of what others have written meanwhile. */
const MAX_ATTEMPTS = 50;

/** The task of a workflow, as it was read or written last. */
export class WorkflowTask {
  readonly taskId: string;
  /** Whether this call has opened it: then no earlier one can have called its steps. */
  readonly isNew: boolean;
  /** Whether this caller's own calls count for it: its owner's do, and an admin's. */
  readonly isOwn: boolean;
  readonly input: WorkflowInput;
  readonly status: StoredWorkflowTask['status'];
  /** How it stands. */
  progress: WorkflowProgress;
  /** The same as it is stored: the ends of its steps' tasks stand beside the steps. */
  private stored: WorkflowProgress;
  private readonly tenant: TenantStore;
  private readonly caller: StoredWorkflowTask['caller'];

  private constructor(
    tenant: TenantStore,
    task: Pick<WorkflowTask, 'taskId' | 'input' | 'status' | 'isNew' | 'isOwn'>,
    caller: StoredWorkflowTask['caller'],
    stored: WorkflowProgress,
  ) {
    this.tenant = tenant;
    this.taskId = task.taskId;
    this.isNew = task.isNew;
    this.isOwn = task.isOwn;
    this.input = task.input;
    this.status = task.status;
    this.caller = caller;
    this.stored = stored;
    this.progress = settleChildren(stored);
  }

  /** The task that this call has just opened. */
  static opened({ tenant, identity }: AdmittedCall, taskId: string, input: WorkflowInput): WorkflowTask {
    const task = { taskId, input, status: 'working', isNew: true, isOwn: true } as const;
    return new WorkflowTask(tenant, task, identity, newProgress(input.workflow));
  }

  /** Errors: `task_not_found`, `task_not_workflow`, `task_ended` where only its end is kept. */
  static async read(
    { tenant, caller }: Pick<Call, 'tenant' | 'caller'>,
    taskId: string,
    identity: Identity = caller.heldIdentity(),
  ): Promise<WorkflowTask> {
    const read = await tenant.workflowTasks.read(identity, taskId);
    const { status } = read;
    const input = read.input as WorkflowInput | undefined;
    if (input === undefined) {
      throw new BatonError('task_ended', `Task '${taskId}' has ended, and its run is not kept any more.`, {
        taskId,
        status,
        taskStatus: status,
      });
    }
    const stored = parseProgress(input.workflow, read);
    const isOwn = read.owner === read.caller.principal || read.caller.scopes.has('admin');
    return new WorkflowTask(tenant, { taskId, input, status, isNew: false, isOwn }, read.caller, stored);
  }

  /**
   * Makes a change, and makes it again of what somebody else has written meanwhile; where it is written, the call behind it is admitted. A task that a step has started counts from
   * then on: when it ends, or at once where it has ended already. Errors: `task_not_found`, `task_ended`, `limit_storage`, `unavailable`.
   */
  async change(apply: (progress: WorkflowProgress) => WorkflowProgress, next?: NextCall): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const written = await this.write(apply(this.progress), next);
      if (written !== undefined) {
        this.stored = written;
        this.progress = written;
        return;
      }
      const read = await this.tenant.workflowTasks.read(this.caller, this.taskId);
      this.stored = parseProgress(this.input.workflow, read);
      this.progress = settleChildren(this.stored);
    }
    throw new BatonError('unavailable', `Task '${this.taskId}' changes too often just now.`);
  }

  /** What is stored now; undefined where somebody else has written. */
  private async write(after: WorkflowProgress, next?: NextCall): Promise<WorkflowProgress | undefined> {
    const { revision } = this.stored;
    // Of one that had ended, and goes on, the end is stored still.
    const link = [...after.children.keys()].find((taskId) => !this.progress.children.has(taskId));
    const change = changeBetween(this.stored, after);
    const failed = failedTasks(after).find((taskId) => !failedTasks(this.progress).includes(taskId));
    if (change.sets.length + change.drops.length === 0) return this.stored;
    const update = { revision, sets: change.sets, drops: change.drops, link, failed };
    const updated = await this.tenant.workflowTasks.update(this.caller, this.taskId, update, next);
    if (updated.kind === 'conflict') return undefined;
    if (updated.kind === 'recorded') return { ...after, revision: revision + 1 };
    const { status, outcome } = updated;
    const end = { turn: revision + 1, status, outcome } as ChildEnd;
    return this.write(settleChildren({ ...after, ends: new Map(after.ends).set(link ?? '', end) }), next);
  }
}

/** The tasks whose failures stand in a progress. */
function failedTasks({ steps, extras }: WorkflowProgress): readonly string[] {
  return [...steps, ...extras.values()].flatMap((state) =>
    state.status === 'failed' && state.taskId !== undefined ? [state.taskId] : [],
  );
}
