import type { Operation } from '@baton/operations';
import { conversationTools } from '../conversations/conversation-tools.ts';
import { toolCatalog } from '../tools/catalog.ts';
import type { Tool } from '../tools/tool.ts';
import { createResumeWorkflowTool } from './resume-workflow-tool.ts';

/** Every tool, in the order in which it is listed. The last one calls the others. */
export function allTools(
  operations: ReadonlyMap<string, Operation>,
  log: (error: unknown) => void,
): ReadonlyMap<string, Tool> {
  const tools = new Map([...toolCatalog(operations), ...conversationTools]);
  const resume = createResumeWorkflowTool(tools, log);
  return tools.set(resume.name, resume);
}
