import { type JsonObject, WORKFLOW_OPERATION } from '@baton/protocol';
import { formatScopes, type Identity } from '../identity/identity.ts';
import { refusalError } from '../records/refusal-error.ts';
import { COMPLETE_WORKFLOW, RECORD_STEP } from '../scripts/registry.ts';
import { runScript } from '../scripts/script.ts';
import type { TenantContext } from '../tenant/tenant-context.ts';
import { requireTaskId } from './tasks.ts';

/** What a gateway writes of the task of a workflow that it runs. */
export class WorkflowTasks {
  private readonly context: TenantContext;

  constructor(context: TenantContext) {
    this.context = context;
  }

  /**
   * Adds the outcome of an effect to the task's journal, as text. Returns the outcome that counts: the first that was
   * recorded. Errors: `task_not_found`, `task_ended`, `limit_storage`.
   */
  async recordStep(identity: Identity, taskId: string, path: string, entry: string): Promise<string> {
    const { connection, keys } = this.context;
    const { task, topic } = keys.taskNames(taskId);
    const reply = await runScript(
      connection,
      RECORD_STEP,
      { tenant: keys.record, task, activeChangeChannel: keys.activeChangeChannel },
      { ...callerOf(identity), topic, path, entry },
    );
    if (reply[0] === 'exists') return String(reply[1]);
    if (reply[0] !== 'recorded') throw refusalError(reply, { taskId });
    return entry;
  }

  /**
   * Ends the task with its result, unless it has ended: of several ends that meet, one counts. Errors: `task_not_found`,
   * `task_ended`, `task_not_workflow`, `limit_storage`.
   */
  async complete(identity: Identity, taskId: string, result: JsonObject): Promise<void> {
    requireTaskId(taskId);
    const { connection, keys, lifetimes } = this.context;
    const names = keys.taskNames(taskId);
    const { topic, ref } = names;
    const reply = await runScript(connection, COMPLETE_WORKFLOW, keys.scriptKeys(names), {
      ...callerOf(identity),
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

function callerOf({ principal, scopes }: Identity) {
  return { principal, scopes: formatScopes(scopes) };
}
