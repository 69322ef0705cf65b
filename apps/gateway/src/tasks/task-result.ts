import { delegatedCallOperation, type Operation } from '@baton/operations';
import { BatonError, type TaskEnd, WORKFLOW_OPERATION } from '@baton/protocol';
import type { TaskView } from '@baton/store';
import type { AdmittedCall, Call } from '../call/call.ts';
import { clientTraits } from '../call/client-traits.ts';
import type { ToolReply } from '../delegation/tool-reply.ts';
import { UNTIL_END, waitUntilTaskEndsOrParks } from '../delegation/wait-until-task-ends-or-parks.ts';
import { completedReply } from '../tools/start-operation.ts';
import {
  formatToolError,
  formatToolReply,
  joinToolResult,
  type ToolResult,
} from '../tool-results/tool-result.ts';
import type { Continuation } from '../workflows/continue-workflow.ts';
import type { ResultWaits } from './result-waits.ts';

/**
 * The longest that one call waits for the end of a task. MCP has it wait until then; a client that gave up, as most do after a
 * minute, leaves its call behind, and one that waits repeats it.
 */
const MAX_HOLD_MS = 600_000;

/**
 * What the call that a task stands for would have returned (MCP 2025-11-25, basic/utilities/tasks, Result Retrieval), as JSON, once the
 * task has ended; until then the call is held. A repeat waits on, at any replica.
 * Errors: `task_not_found`, `task_unfinished`, those of an admission that ended meanwhile.
 */
export async function taskResult(
  taskId: string,
  call: AdmittedCall,
  waits: ResultWaits,
  holdMs = MAX_HOLD_MS,
): Promise<string> {
  const first = await call.tenant.tasks.read(call.identity, taskId, '', true);
  const last = isOpen(first) ? await waitForEnd(taskId, call, waits, holdMs) : first;
  if (isOpen(last)) {
    throw new BatonError(
      'task_unfinished',
      `Task '${taskId}' is ${last.status}, and this call waits no longer. Repeat tasks/result to wait on.`,
      { taskId, status: last.status },
    );
  }
  return joinToolResult(await formatEndedTask(first.operation, taskId, last, call));
}

/** What the call that a task stands for would have returned. `linksOf`: links to what its result has made or changed. */
export async function formatEndedTask(
  operation: string,
  taskId: string,
  end: TaskEnd,
  call: Call,
  linksOf: (structured: object) => readonly string[] = () => [],
  continuation?: Continuation,
): Promise<ToolResult> {
  if (end.status !== 'completed')
    return formatToolError(BatonError.fromWire(end.error), taskId, continuation);
  const { takesLinks, textForm } = call.client ?? clientTraits(undefined);
  const reply = replyOf(operation, taskId, end, call);
  return formatToolReply(reply, textForm, takesLinks ? linksOf(reply.structured) : [], continuation);
}

async function waitForEnd(
  taskId: string,
  call: AdmittedCall,
  waits: ResultWaits,
  waitMs: number,
): Promise<TaskView> {
  const { identity, services, tenant } = call;
  const subscription = services.store.inbox.subscribe(tenant.tasks.topic(taskId), identity.admittedBy);
  try {
    return await waits.hold(call, (signal) =>
      waitUntilTaskEndsOrParks({ ...call, signal: () => signal }, taskId, subscription, identity, {
        event: UNTIL_END,
        waitMs,
        registered: false,
      }),
    );
  } finally {
    subscription.close();
  }
}

function isOpen(view: TaskView): view is Extract<TaskView, { status: 'working' | 'input_required' }> {
  return view.status === 'working' || view.status === 'input_required';
}

/** As the call of the operation would have returned it. The task of a workflow has its result as data. */
function replyOf(
  name: string,
  taskId: string,
  { result }: Extract<TaskEnd, { status: 'completed' }>,
  { services }: Call,
): ToolReply {
  const operation = name === WORKFLOW_OPERATION ? undefined : findOperation(name, services.operations);
  if (operation !== undefined) return completedReply(operation, result, taskId);
  return { text: `Task ${taskId} is completed.`, structured: result, taskId };
}

function findOperation(name: string, tools: ReadonlyMap<string, Operation>): Operation | undefined {
  return tools.get(name) ?? (name === delegatedCallOperation.name ? delegatedCallOperation : undefined);
}
