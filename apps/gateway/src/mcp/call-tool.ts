import { setImmediate as nextIteration } from 'node:timers/promises';
import { type BatonError, toBatonError } from '@baton/protocol';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/sdk/types.js';
import { admitCaller, ANY_MCP_CALLER, admitCallerUnlessAdmitted } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import { isMcpHttpError } from '../call/error-classification.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import type { ToolReply } from '../delegation/tool-reply.ts';
import type { RequestMeta, Tool } from '../tools/tool.ts';

/**
 * Runs a tool and gives its result (MCP, CallToolResult) as the JSON that leaves. What goes wrong in a tool is a result with
 * `isError`, so that a model can read it and correct itself. Errors: an `RpcError` for an unknown tool, and what HTTP has a
 * status for (`isMcpHttpError`).
 */
export async function callTool(
  tools: ReadonlyMap<string, Tool>,
  params: { name: string; arguments?: unknown; _meta?: RequestMeta | undefined },
  call: Call,
  log: (error: unknown) => void,
): Promise<string> {
  const tool = tools.get(params.name);
  if (tool === undefined) {
    await admitCaller(call, ANY_MCP_CALLER);
    throw new RpcError(-32602, `Unknown tool: ${params.name.slice(0, 200)}`);
  }
  try {
    const reply = await tool.call(params.arguments, call, params._meta ?? {});
    await admitCallerUnlessAdmitted(call, tool.access);
    return await success(reply);
  } catch (thrown) {
    const error = toBatonError(thrown);
    if (error !== thrown) log(thrown);
    if (isMcpHttpError(error)) throw error;
    await admitCallerUnlessAdmitted(call, tool.access);
    return failure(error);
  }
}

/** A reply of so many characters is made in several iterations of the event loop. */
const LARGE_REPLY_LENGTH = 65_536;

/** The structured data is most of a reply and may stand in it twice: it is made text once. */
async function success(reply: ToolReply): Promise<string> {
  const { text, structured, taskId, textIncludesJson, blocks = [] } = reply;
  const data = JSON.stringify(structured);
  const isLarge = data.length >= LARGE_REPLY_LENGTH;
  if (isLarge) await nextIteration();
  const content = [textBlock(text)];
  if (textIncludesJson) content.push(textBlock(data));
  if (isLarge) await nextIteration();
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
