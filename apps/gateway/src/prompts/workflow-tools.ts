import { isRecord } from '@baton/protocol';
import type { FindTool, WorkflowTool } from '@baton/workflows';
import type { Tool } from '../tools/tool.ts';

/** The tools of this gateway as definitions of workflows are held against them. */
export function workflowTools(tools: ReadonlyMap<string, Tool>): FindTool {
  return (name) => {
    const tool = tools.get(name);
    return tool === undefined ? undefined : toWorkflowTool(tool);
  };
}

function toWorkflowTool(tool: Tool): WorkflowTool {
  const { properties } = tool.listing.inputSchema;
  return {
    argumentNames: new Set(isRecord(properties) ? Object.keys(properties) : []),
    findProblems: (args) => tool.findProblems(args),
  };
}
