import type { ProjectTool } from '@baton/operations';
import { commitCommand, readProject } from '@baton/runner';
import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import { defineEdgeAdmittedTool, type Tool } from './tool.ts';

/** A tool that needs no LLM: it shows a view of a project, or changes it by one command. */
export function createProjectTool(tool: ProjectTool): Tool {
  const { name, title, description, hints, input, result } = tool;
  return defineEdgeAdmittedTool({
    name,
    title,
    description,
    hints,
    access: edgeAdmittedAccess(MCP_SCOPE),
    input,
    output: [result],
    run: async (given, call) => {
      const structured = await runProjectTool(tool, given, call);
      return { text: tool.summarize(structured, given), structured, textIncludesJson: true };
    },
  });
}

type Given = Parameters<ProjectTool['summarize']>[1];

async function runProjectTool(tool: ProjectTool, given: Given, { tenant }: Call): Promise<object> {
  if (tool.kind === 'view') return tool.view(await readProject(tenant, given.projectRoot), given);
  return tool.show(await commitCommand(tenant, given.projectRoot, tool.command(given)), given);
}
