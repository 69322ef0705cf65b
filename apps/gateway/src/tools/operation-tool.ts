import type { Operation } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import { replySchemas, startOperationTool } from './start-operation.ts';
import { defineTool, type Tool } from './tool.ts';

/** An operation as a tool: its call starts a task and answers with the directive, or with the result. */
export function operationTool(operation: Operation): Tool {
  return defineTool({
    name: operation.name,
    title: operation.title,
    description: operation.description,
    hints: operation.hints,
    input: operation.input,
    output: replySchemas(operation),
    run: (input, call, meta) => startOperationTool(operation, input as JsonObject, call, meta),
  });
}
