import type { ProjectTool } from '@baton/operations';
import { runCommand, viewProject } from '@baton/runner';
import type { z } from 'zod';
import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import type { AdmittedCall, RequestMeta, Tool } from '../call/call.ts';
import { idempotencyOf, replayedSchema } from './idempotency.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

/** A tool that needs no LLM: it shows a view of a project, or changes it by one command. */
export function createProjectTool(tool: ProjectTool): Tool {
  const { name, title, category, changes, description, hints, input, result, kind } = tool;
  return defineEdgeAdmittedTool({
    name,
    title,
    category,
    changes,
    description,
    hints,
    isLong: kind === 'view',
    access: edgeAdmittedAccess(MCP_SCOPE),
    input,
    output: [kind === 'change' ? (result as z.ZodObject).extend({ replayed: replayedSchema }) : result],
    run: async (given, call, meta) => {
      const structured = await runProjectTool(tool, given, call, meta);
      if (tool.checked !== undefined) void call.caller.countChecked(tool.checked(structured));
      const blocks = tool.images?.(structured, given).map(({ mimeType, text }) => ({
        type: 'image' as const,
        mimeType,
        data: Buffer.from(text).toString('base64'),
      }));
      return {
        text: tool.summarize(structured, given),
        structured,
        ...(blocks === undefined ? {} : { blocks }),
      };
    },
  });
}

type Given = Parameters<ProjectTool['summarize']>[1];

async function runProjectTool(
  tool: ProjectTool,
  given: Given,
  { tenant, identity, caller, isFirstAttempt }: AdmittedCall,
  meta: RequestMeta,
): Promise<object> {
  const { projectRoot } = given;
  if (tool.kind === 'view') return viewProject(tenant, projectRoot, (project) => tool.view(project, given));
  const idempotency = await idempotencyOf(tool.name, given, meta, async () => identity.principal);
  const {
    outcome,
    replayed: isReplay,
    changedFields,
  } = await runCommand(
    tenant,
    projectRoot,
    tool.command(given),
    idempotency,
    isFirstAttempt === true ? { first: true } : {},
  );
  void caller.countChange(changedFields);
  const shown = tool.show(outcome, given);
  return isReplay ? { ...shown, replayed: true } : shown;
}
