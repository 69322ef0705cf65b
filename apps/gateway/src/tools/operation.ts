import type { Operation } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import { replyShapes, startForReply } from './start.ts';
import { defineTool, type Tool } from './tool.ts';

/** An operation as a tool: its call starts a task and answers with the directive, or with the result. */
export function operationTool(operation: Operation): Tool {
  return defineTool({
    name: operation.name,
    title: operation.title,
    description: operation.description,
    hints: operation.hints,
    input: operation.input,
    output: replyShapes(operation),
    run: (input, call, meta) => startForReply(operation, input as JsonObject, call, meta),
  });
}
