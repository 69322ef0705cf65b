import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/sdk/types.js';
import type { BatonError } from '@baton/protocol';
import { type ErrorCode, toBatonError } from '@baton/protocol';
import type { Call } from '../call/call.ts';
import type { RequestMeta, Tool, ToolReply } from '../tools/tool.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';

/**
 * Runs a tool; gives its result (MCP, CallToolResult) as the JSON that leaves. What goes wrong in it is a result with `isError`, so that a model can read it and correct itself; an
 * unknown tool is a broken request; what HTTP has a status for is the edge's.
 */
export async function callTool(
  tools: ReadonlyMap<string, Tool>,
  params: { name: string; arguments?: unknown; _meta?: RequestMeta | undefined },
  call: Call,
  log: (error: unknown) => void,
): Promise<string> {
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

/** The structured data is most of a reply and may stand in it twice: it is made text once. */
function success({ text, structured, taskId, textIncludesJson, blocks = [] }: ToolReply): string {
  const data = JSON.stringify(structured);
  const content = [textBlock(text)];
  if (textIncludesJson) content.push(textBlock(data));
  for (const block of blocks) content.push(JSON.stringify(block));
  const meta = taskId === undefined ? '' : `,"_meta":{"${RELATED_TASK_META_KEY}":{"taskId":"${taskId}"}}`;
  return `{"content":[${content.join()}],"structuredContent":${data}${meta}}`;
}

function failure(error: BatonError): string {
  const wire = error.toWire();
  const content = textBlock(`${wire.code}: ${wire.message}`);
  return `{"isError":true,"content":[${content}],"structuredContent":${JSON.stringify({ error: wire })}}`;
}

function textBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}
