import { toolNameOf } from '@baton/agent-definitions';
import { isRecord } from '@baton/protocol';
import type { TenantStore } from '@baton/store';
import type { FindTool, WorkflowTool } from '@baton/workflows';
import type { Tool } from '../tools/tool.ts';

/** What the arguments of a specialist may be is asked in a thread, when it is called. */
const SPECIALIST: WorkflowTool = { argumentNames: undefined, findProblems: () => [] };

/** The tools of this gateway, and the specialists of a tenant, as definitions of workflows are held against them. */
export async function workflowTools(
  tools: ReadonlyMap<string, Tool>,
  { agents }: TenantStore,
): Promise<FindTool> {
  const { entries, primary } = await agents.entries();
  const specialists = new Set(
    entries.filter(({ name }) => name !== primary).map(({ name }) => toolNameOf(name)),
  );
  return (name) => {
    const tool = tools.get(name);
    if (tool !== undefined) return toWorkflowTool(tool);
    return specialists.has(name) ? SPECIALIST : undefined;
  };
}

function toWorkflowTool(tool: Tool): WorkflowTool {
  const { properties } = tool.schemas.input;
  return {
    argumentNames: new Set(isRecord(properties) ? Object.keys(properties) : []),
    findProblems: (args) => tool.findProblems(args),
  };
}
