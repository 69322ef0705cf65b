import { setImmediate as nextIteration } from 'node:timers/promises';
import { type BatonError, isTaskId } from '@baton/protocol';
import { RELATED_TASK_META_KEY } from '@modelcontextprotocol/sdk/types.js';
import type { TextForm } from '../call/client-traits.ts';
import type { ToolReply } from '../call/tool-reply.ts';
import { CONTINUATION_META_KEY, type Continuation } from '../workflows/continue-workflow.ts';
import { outlineOf } from './outline.ts';

/** A reply of so many characters is made in several iterations of the event loop. */
const LARGE_REPLY_LENGTH = 65_536;

/** A CallToolResult (MCP, server/tools) as the JSON of its members, and of those of its `_meta`: each revision adds its own. */
export interface ToolResult {
  readonly members: string;
  readonly meta: readonly string[];
}

/** The JSON of a result that leaves. */
export function joinToolResult({ members, meta }: ToolResult): string {
  return meta.length === 0 ? `{${members}}` : `{${members},"_meta":{${meta.join()}}}`;
}

/**
 * A tool's reply as its result. The structured data is most of it and may stand in it twice: it is made text once. `form`: what the text holds of it, for this client. `links`: blocks at the end of the
 * content, as JSON.
 */
export async function formatToolReply(
  reply: ToolReply,
  form: TextForm,
  links: readonly string[] = [],
  continuation?: Continuation,
): Promise<ToolResult> {
  const { text, structured, taskId, asks = false, blocks = [] } = reply;
  const data = JSON.stringify(structured);
  const isLarge = data.length >= LARGE_REPLY_LENGTH;
  if (isLarge) await nextIteration();
  const content = [textBlock(text)];
  if (asks || form === 'json') content.push(textBlock(data));
  else if (form === 'outline') content.push(textBlock(outlineOf(structured, text)));
  if (isLarge) await nextIteration();
  for (const block of blocks) content.push(JSON.stringify(block));
  content.push(...links);
  return {
    members: `"content":[${content.join()}],"structuredContent":${data}`,
    meta: metaOf(taskId, continuation),
  };
}

/** An error as a result. `taskId`: of the task that it is the end of; otherwise the one that the error names, if it has met one. */
export function formatToolError(
  error: BatonError,
  taskId = taskIdOf(error),
  continuation?: Continuation,
): ToolResult {
  const wire = error.toWire();
  const content = textBlock(`${wire.code}: ${wire.message}`);
  const data = JSON.stringify({ error: wire });
  return {
    members: `"isError":true,"content":[${content}],"structuredContent":${data}`,
    meta: metaOf(taskId, continuation),
  };
}

function taskIdOf({ code, details: { taskId } }: BatonError): string | undefined {
  return code !== 'task_not_found' && typeof taskId === 'string' && isTaskId(taskId) ? taskId : undefined;
}

function metaOf(taskId: string | undefined, continuation: Continuation | undefined): string[] {
  const members: string[] = [];
  if (taskId !== undefined) members.push(`"${RELATED_TASK_META_KEY}":{"taskId":"${taskId}"}`);
  if (continuation !== undefined) members.push(`"${CONTINUATION_META_KEY}":${JSON.stringify(continuation)}`);
  return members;
}

function textBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}
