import { type Operation, projectTools } from '@baton/operations';
import { agentLlm } from './agent-llm.ts';
import { cancelTask } from './cancel-task.ts';
import { operationTool } from './operation-tool.ts';
import { pendingInteractions } from './pending-interactions.ts';
import { projectTool } from './project-tool.ts';
import { taskStatus } from './task-status.ts';
import type { Tool } from './tool.ts';

/** Every tool, in the order in which it is listed: the operations, then what is around them. */
export function toolCatalog(operations: ReadonlyMap<string, Operation>): ReadonlyMap<string, Tool> {
  const tools = [
    ...[...operations.values()].map(operationTool),
    ...projectTools.map(projectTool),
    agentLlm,
    pendingInteractions,
    taskStatus,
    cancelTask,
  ];
  return new Map(tools.map((tool) => [tool.name, tool]));
}
