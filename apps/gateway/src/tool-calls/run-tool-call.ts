import { type BatonError, type JsonObject, nearestName, toBatonError } from '@baton/protocol';
import { agentIdIn, findAgentTool } from '../agents/agent-tool.ts';
import { admitCaller, admitCallerUnlessAdmitted, ANY_MCP_CALLER } from '../call/access.ts';
import type { Call, RequestMeta, Tool } from '../call/call.ts';
import { isMcpHttpError } from '../call/error-classification.ts';
import type { ToolReply } from '../call/tool-reply.ts';
import { outcomeOf, outcomeOfError } from '../workflows/call-outcome.ts';
import {
  CONTINUED_TASK_META_KEY,
  type Continuation,
  continueWorkflow,
  type MadeCall,
} from '../workflows/continue-workflow.ts';

/** A call of a tool by its name, whichever interface it came over. */
export interface ToolCallParams {
  readonly name: string;
  readonly arguments?: unknown;
  readonly _meta?: RequestMeta | undefined;
}

/** What a call has come to, and what became of it in the workflow that it was made for, if it was. */
export type ToolCallOutcome =
  | { readonly kind: 'replied'; readonly reply: ToolReply; readonly continuation: Continuation | undefined }
  | { readonly kind: 'failed'; readonly error: BatonError; readonly continuation: Continuation | undefined };

/** The tool of a name, a specialist of the caller's tenant included. For a name that is none the caller is admitted, and it is undefined. */
export async function findTool(name: string, call: Call): Promise<Tool | undefined> {
  const tool = call.services.tools.get(name) ?? (await findAgentTool(name, call));
  if (tool === undefined) await admitCaller(call, ANY_MCP_CALLER);
  return tool;
}

/** For the refusal of an unknown tool: that no such specialist can be called, or the tool that was most likely meant; empty where none is near. */
export function unknownToolHint(name: string, { services }: Call): string {
  const agentId = agentIdIn(name);
  if (agentId !== undefined) return `. There is no enabled specialist '${agentId}'.`;
  const nearest = nearestName(name, services.tools.keys());
  return nearest === undefined ? '' : `. Did you mean '${nearest}'?`;
}

/**
 * Runs a tool: what MCP's `tools/call` and REST's `POST /v1/tools/{name}` do. What goes wrong in it is an outcome, for each to tell in
 * its own way. Errors: what HTTP has a status for in both (`isMcpHttpError`).
 */
export async function runToolCall(
  tool: Tool,
  { arguments: args, _meta: meta = {} }: ToolCallParams,
  call: Call,
): Promise<ToolCallOutcome> {
  call.trace?.setTool(tool.name);
  const workflow = meta[CONTINUED_TASK_META_KEY];
  const continuationOf = async (outcome: MadeCall['outcome']) =>
    workflow === undefined
      ? undefined
      : continueWorkflow(workflow, { tool: tool.name, arguments: args, outcome }, call);
  try {
    const reply = await tool.call(args, call, meta);
    if (reply.taskId !== undefined) call.trace?.setTask(reply.taskId);
    await admitCallerUnlessAdmitted(call, tool.access);
    noteStarted(tool, reply, call);
    const outcome = outcomeOf(reply.structured as JsonObject, tool.startTask !== undefined);
    return { kind: 'replied', reply, continuation: await continuationOf(outcome) };
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) call.services.log(thrown);
    if (isMcpHttpError(error)) throw error;
    await admitCallerUnlessAdmitted(call, tool.access);
    return {
      kind: 'failed',
      error,
      continuation: await continuationOf(outcomeOfError(error, tool.startTask !== undefined)),
    };
  }
}

/** What a call that starts an operation has come to. A worker has logged the end; its client is told here. */
function noteStarted({ name, startTask }: Tool, reply: ToolReply, call: Call): void {
  const { taskId, hasParked } = reply;
  const { status, interactionId } = reply.structured as { status?: string; interactionId?: string };
  if (hasParked === true) call.logEvent('parked', { tool: name, taskId, interactionId });
  else if (startTask !== undefined && status === 'completed')
    call.notifyEvent?.('ended', { tool: name, taskId, status });
}
