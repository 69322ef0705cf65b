import { type Operation, projectTools } from '@baton/operations';
import { agentLlmTool } from './agent-llm.ts';
import { cancelTaskTool } from './cancel-task.ts';
import { completeTaskTool } from './complete-task.ts';
import { deleteProjectTool } from './delete-project.ts';
import { createOperationTool } from './operation-tool.ts';
import { pendingInteractionsTool } from './pending-interactions.ts';
import { createProjectTool } from './project-tool.ts';
import { retryTaskTool } from './retry-task.ts';
import { taskStatusTool } from './task-status.ts';
import type { Tool } from '../call/call.ts';

/** Every tool, in the order in which it is listed: the operations, then what is around them. */
export function toolCatalog(operations: ReadonlyMap<string, Operation>): ReadonlyMap<string, Tool> {
  const tools = [
    ...[...operations.values()].map(createOperationTool),
    ...projectTools.map(createProjectTool),
    deleteProjectTool,
    agentLlmTool,
    pendingInteractionsTool,
    taskStatusTool,
    cancelTaskTool,
    retryTaskTool,
    completeTaskTool,
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
