import type { CallToolRequest } from '@modelcontextprotocol/sdk/types.js';
import { isEnded, isRecord } from '@baton/protocol';
import type { TaskSummary, TaskView } from '@baton/store';
import type { AdmittedCall, Call, Tool } from '../../call/call.ts';
import { resolveDialect } from '../../call/resolve-dialect.ts';
import { clientTraits } from '../../call/client-traits.ts';
import type { UnfinishedTask } from '../../call/tool-reply.ts';
import { formatEndedTask } from '../../tasks/task-result.ts';
import { formatToolReply, type ToolResult } from '../../tool-results/tool-result.ts';
import { unfinishedReply } from '../../tools/start-operation.ts';
import { CONTINUATION_META_KEY } from '../../workflows/continue-workflow.ts';
import { callTool, formatCalledTool } from '../dispatch/call-tool.ts';
import { changedResourceLinks } from '../dispatch/changed-resource-links.ts';
import { requireCapabilities } from './request/request-capabilities.ts';
import { askForInput, type InputRequired, turnOf } from './input-required/input-required.ts';
import type { RepeatableCall, RequestStates, Turn } from './input-required/request-states.ts';
import { answerTurn, resumeTurn } from './input-required/resume-turn.ts';
import { toClientRequests } from '../client-requests/client-requests.ts';
import { openTaskOf2026, taskOf2026 } from './tasks/detailed-task.ts';

/** A result by which a call has not ended. */
type UnfinishedResult =
  | InputRequired
  | { readonly resultType: 'task'; readonly _meta?: Readonly<Record<string, unknown>> };

/**
 * A `tools/call`: its result, or what it asks of its client before it has one, or the task that it goes on as. With a `requestState` it goes on with the call that was given
 * that. Errors: an `RpcError` for an unknown tool and for what is wrong with the state, and what HTTP has a status for (`isMcpHttpError`).
 */
export async function callToolOf2026(
  states: RequestStates,
  params: CallToolRequest['params'],
  call: Call,
): Promise<ToolResult | UnfinishedResult> {
  const repeated = { method: 'tools/call', name: params.name, arguments: params.arguments };
  requireCapabilities(call.services.tools.get(params.name), call);
  if (call.of2026?.requestState !== undefined) return resumeToolCall(states, repeated, call);
  const called = await callTool(params, call);
  const { outcome } = called;
  const unfinished = outcome.kind === 'replied' ? outcome.reply.unfinished : undefined;
  const first = unfinished && (await resumeFirstTurn(unfinished, call));
  if (first !== undefined) return showTurn(states, repeated, first);
  const asked = unfinished && (await showUnfinished(unfinished, call, states, repeated, called.tool));
  if (asked === undefined) return formatCalledTool(called, call);
  // What became of the call in the workflow that it was made for is known now: the rest is recorded when its task ends.
  const { continuation } = outcome;
  return continuation === undefined
    ? asked
    : { ...asked, _meta: { ...asked._meta, [CONTINUATION_META_KEY]: continuation } };
}

/** What a call whose work goes on is answered with in the dialect of its client; undefined for the directive. */
async function showUnfinished(
  unfinished: UnfinishedTask,
  call: Call,
  states: RequestStates,
  repeated: RepeatableCall,
  tool: Tool | undefined,
): Promise<UnfinishedResult | undefined> {
  const dialectChoice = await resolveDialect(call);
  const asksFirst = tool?.asksWithinCall === true && unfinished.pending.length > 0;
  if (dialectChoice?.dialect !== 'task' || asksFirst) return askForInput(unfinished, call, states, repeated);
  const asked = await toClientRequests(unfinished.pending, call);
  // A request that this client takes in no other way is shown by the directive.
  if (asked === undefined && !dialectChoice.isForced) return undefined;
  const begun = await begunTask(unfinished, call);
  if (isEnded(begun.status)) return { resultType: 'task', ...taskOf2026(begun, call) };
  const isAsked = begun.status === 'input_required' && asked !== undefined && asked.length > 0;
  return { resultType: 'task', ...openTaskOf2026(begun, isAsked, call) };
}

/** The task of a call. That which the call itself has begun is known without a read. */
async function begunTask(
  { taskId, operation, pending, createdAt }: UnfinishedTask,
  { tenant, caller }: Call,
): Promise<TaskView | TaskSummary> {
  const identity = caller.heldIdentity();
  if (createdAt === undefined) return tenant.tasks.read(identity, taskId, '', 'none');
  return {
    taskId,
    operation,
    principal: identity.principal,
    status: pending.length > 0 ? 'input_required' : 'working',
    createdAt,
    updatedAt: createdAt,
    expiresAt: createdAt + tenant.lifetimes.task,
  };
}

/** A call that goes on: where it stood, and how its task is now. */
interface ResumedTurn {
  readonly call: AdmittedCall;
  readonly turn: Turn;
  readonly view: TaskView;
}

async function resumeToolCall(
  states: RequestStates,
  repeated: RepeatableCall,
  call: Call,
): Promise<ToolResult | UnfinishedResult> {
  return showTurn(states, repeated, await resumeTurn(states, call, repeated));
}

/**
 * A call that goes on at once: it brings answers from its beginning, under keys that its requests have, or is held since its work asks nothing yet. Undefined for
 * any other, whose requests are shown first.
 */
async function resumeFirstTurn(unfinished: UnfinishedTask, call: Call): Promise<ResumedTurn | undefined> {
  const inputResponses = call.of2026?.inputResponses;
  const given = isRecord(inputResponses) ? inputResponses : {};
  const asked = (await toClientRequests(unfinished.pending, call)) ?? [];
  const isHeld =
    unfinished.pending.length === 0 && (await resolveDialect(call))?.dialect === 'input_required';
  if (!isHeld && !asked.some(({ key }) => key in given)) return undefined;
  const turn = turnOf(unfinished, asked);
  const admitted = { ...call, identity: call.caller.heldIdentity() };
  return { call: admitted, turn, view: await answerTurn(turn, given, admitted) };
}

async function showTurn(
  states: RequestStates,
  repeated: RepeatableCall,
  { view, turn: { taskId, operation }, call }: ResumedTurn,
): Promise<ToolResult | UnfinishedResult> {
  const tool = call.services.tools.get(repeated.name);
  if ('pending' in view) {
    const unfinished = { taskId, operation, pending: view.pending };
    const asked = await showUnfinished(unfinished, call, states, repeated, tool);
    const { textForm } = call.client ?? clientTraits(undefined);
    return asked ?? formatToolReply(unfinishedReply(unfinished), textForm);
  }
  return formatEndedTask(operation, taskId, view, call, (structured) =>
    tool === undefined ? [] : changedResourceLinks(tool, structured, call),
  );
}
