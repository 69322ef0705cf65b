import { BatonError } from '@baton/protocol';
import { admitCall, ANY_MCP_CALLER } from '../../../call/access.ts';
import type { AdmittedCall, Call } from '../../../call/call.ts';
import { resolveDialect } from '../../../call/resolve-dialect.ts';
import { clientTraits } from '../../../call/client-traits.ts';
import type { UnfinishedTask } from '../../../call/tool-reply.ts';
import { formatEndedTask } from '../../../tasks/task-result.ts';
import { parseRequest } from '../../../json-rpc/parse-request.ts';
import { taskByIdSchema } from '../../../tasks/task-methods.ts';
import { formatToolReply, joinToolResult } from '../../../tool-results/tool-result.ts';
import { unfinishedReply } from '../../../tools/start-operation.ts';
import type { CalledTool } from '../../dispatch/call-tool.ts';
import { changedResourceLinks } from '../../dispatch/changed-resource-links.ts';
import { chooseDialectOf2025 } from '../call/dialect-of-2025.ts';
import type { StreamPosition } from './stream-positions.ts';
import { streamTask, type TaskStreamDependencies } from './task-stream.ts';

type RequestId = StreamPosition['request'];

/** Asks a call's client on the call's own stream what its work asks, until that has ended. As `runOnStream`. */
export function streamToolCall(
  streams: TaskStreamDependencies,
  request: { readonly id: RequestId; readonly progressToken: RequestId | undefined },
  { tool, outcome: { continuation } }: CalledTool,
  { taskId, operation, isOfThisCall }: UnfinishedTask,
  call: Call,
): Promise<string | undefined> {
  const position: StreamPosition = {
    request: request.id,
    method: 'tools/call',
    tool: tool.name,
    progressToken: request.progressToken,
    taskId,
    operation,
    isOfThisCall,
    dialect: 'sampling',
    shown: [],
    continuation,
  };
  const admitted = { ...call, identity: call.caller.heldIdentity() };
  return runOnStream(streams, position, admitted);
}

/**
 * `tasks/result`: on a stream its client is asked there what the task asks, if it takes that. As `runOnStream`, and -32602 for a dialect that
 * there is not.
 */
export async function streamTaskResult(
  streams: TaskStreamDependencies,
  id: RequestId,
  params: unknown,
  call: Call,
): Promise<string | undefined> {
  const admitted = await admitCall(call, ANY_MCP_CALLER);
  const { taskId, _meta } = parseRequest(taskByIdSchema, { method: 'tasks/result', params }).params;
  const chosen =
    call.sendEvent === undefined
      ? admitted
      : { ...admitted, dialectChoice: await chooseDialectOf2025(_meta, call, 'sampling') };
  const dialectChoice = await resolveDialect(chosen);
  const position: StreamPosition = {
    request: id,
    method: 'tasks/result',
    progressToken: _meta?.progressToken,
    taskId,
    operation: '',
    dialect: dialectChoice?.dialect === 'sampling' ? 'sampling' : 'tool',
    shown: [],
  };
  return runOnStream(streams, position, { ...chosen, ...(dialectChoice && { dialectChoice }) });
}

/**
 * The result of a request whose task is waited for on its stream, from a position on; undefined where the stream ends before, to be opened again.
 * Errors: those of `streamTask`, and `task_unfinished` where there is no stream to open again.
 */
export async function runOnStream(
  streams: TaskStreamDependencies,
  position: StreamPosition,
  call: AdmittedCall,
): Promise<string | undefined> {
  const { taskId, continuation } = position;
  let came = await streamTask(streams, position, call);
  if (came.kind === 'interrupted' && call.sendEvent === undefined) {
    const view = await call.tenant.tasks.read(call.identity, taskId, '', 'none');
    if ('pending' in view) {
      const { status } = view;
      const message = `Task '${taskId}' is ${status}, and this call waits no longer. Repeat tasks/result to wait on.`;
      throw new BatonError('task_unfinished', message, { taskId, status });
    }
    came = { kind: 'ended', operation: view.operation || position.operation, end: view };
  }
  switch (came.kind) {
    case 'interrupted':
      return undefined;
    case 'unaskable': {
      const { textForm } = call.client ?? clientTraits(undefined);
      const reply = unfinishedReply({ taskId, operation: position.operation, pending: came.view.pending });
      return joinToolResult(await formatToolReply(reply, textForm, [], continuation));
    }
    case 'ended': {
      const tool = position.tool === undefined ? undefined : call.services.tools.get(position.tool);
      const linksOf = (structured: object) =>
        tool === undefined ? [] : changedResourceLinks(tool, structured, call);
      return joinToolResult(
        await formatEndedTask(came.operation, taskId, came.end, call, linksOf, continuation),
      );
    }
  }
}
