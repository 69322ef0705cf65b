import { delegatedCallOperation, type Operation } from '@baton/operations';
import { BatonError, type TaskEnd, WORKFLOW_OPERATION } from '@baton/protocol';
import type { Call } from '../call/call.ts';
import { clientTraits } from '../call/client-traits.ts';
import type { ToolReply } from '../call/tool-reply.ts';
import { completedReply } from '../tools/start-operation.ts';
import { formatToolError, formatToolReply, type ToolResult } from '../tool-results/tool-result.ts';
import type { Continuation } from '../workflows/continue-workflow.ts';

/**
 * What the call that a task stands for would have returned (MCP 2025-11-25, basic/utilities/tasks, Result Retrieval). `linksOf`: links to
 * what its result has made or changed.
 */
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
