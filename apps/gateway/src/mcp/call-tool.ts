import { RELATED_TASK_META_KEY, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { BatonError } from '@baton/protocol';
import { type ErrorCode, toBatonError } from '@baton/protocol';
import type { Call } from '../context.ts';
import type { RequestMeta, Tool, ToolReply } from '../tools/tool.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Runs a tool. What goes wrong in it is a result with `isError`, so that a model can read it and correct itself; an
 * unknown tool is a broken request; what HTTP has a status for is the edge's.
 */
export async function callTool(
  tools: ReadonlyMap<string, Tool>,
  params: { name: string; arguments?: unknown; _meta?: RequestMeta | undefined },
  call: Call,
  log: (error: unknown) => void,
): Promise<CallToolResult> {
  const tool = tools.get(params.name);
  if (tool === undefined) {
    await call.caller.admit(['mcp', 'agent']);
    throw new RpcError(-32602, `Unknown tool: ${params.name.slice(0, 200)}`);
  }
  try {
    return success(await tool.call(params.arguments, call, params._meta ?? {}));
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) log(thrown);
    if (concernsTheEdge(error)) throw error;
    // Whoever shows no valid credential learns nothing of what is wrong with the call.
    if (!call.caller.admitted) await call.caller.admit(tool.need);
    return failure(error);
  }
}

/** Refusals that concern the credential, the tenant or the server, not the call. */
const OF_THE_EDGE: ReadonlySet<ErrorCode> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'tenant_suspended',
  'limit_rate',
  'limit_pending',
  'unavailable',
]);

/** True for what HTTP has a status for. */
export function concernsTheEdge(error: BatonError): boolean {
  return (
    OF_THE_EDGE.has(error.code) || (error.code === 'limit_size' && error.details['limit'] === 'requestBytes')
  );
}

function success({ text, structured, taskId, speakJson, blocks = [] }: ToolReply): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      ...(speakJson ? [{ type: 'text' as const, text: JSON.stringify(structured) }] : []),
      ...blocks,
    ],
    structuredContent: structured as Record<string, unknown>,
    ...(taskId === undefined ? {} : { _meta: { [RELATED_TASK_META_KEY]: { taskId } } }),
  };
}

function failure(error: BatonError): CallToolResult {
  const wire = error.toWire();
  return {
    isError: true,
    content: [{ type: 'text', text: `${wire.code}: ${wire.message}` }],
    structuredContent: { error: wire },
  };
}
