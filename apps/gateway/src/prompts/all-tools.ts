import type { Operation } from '@baton/operations';
import { conversationTools } from '../conversations/conversation-tools.ts';
import { toolCatalog } from '../tools/catalog.ts';
import { resumeWorkflowTool } from './resume-workflow-tool.ts';
import type { Tool } from '../call/call.ts';

/** Every tool, in the order in which it is listed. */
export function allTools(operations: ReadonlyMap<string, Operation>): ReadonlyMap<string, Tool> {
  const tools = new Map([...toolCatalog(operations), ...conversationTools]);
  return tools.set(resumeWorkflowTool.name, resumeWorkflowTool);
}
