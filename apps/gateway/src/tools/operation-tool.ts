import type { Operation } from '@baton/operations';
import type { JsonObject } from '@baton/protocol';
import { MCP_SCOPE, scriptAdmittedAccess } from '../call/access.ts';
import { operationReplySchemas, startOperationAsTask, startOperationForTool } from './start-operation.ts';
import { defineScriptAdmittedTool } from './tool.ts';
import type { Tool } from '../call/call.ts';

/** An operation as a tool: its call starts a task and answers with the directive, or with the result. */
export function createOperationTool(operation: Operation): Tool {
  const { needs, asksWithinCall } = operation;
  const tool = defineScriptAdmittedTool({
    name: operation.name,
    title: operation.title,
    category: operation.category,
    changes: operation.changes,
    description: operation.description,
    hints: operation.hints,
    access: scriptAdmittedAccess(MCP_SCOPE),
    input: operation.input,
    output: operationReplySchemas(operation),
    run: (input, call, meta) => startOperationForTool(operation, input as JsonObject, call, meta),
    startTask: (input, call, meta) => startOperationAsTask(operation, input as JsonObject, call, meta),
  });
  return { ...tool, ...(needs && { needs }), ...(asksWithinCall && { asksWithinCall }) };
}
