import { getTasksInputSchema } from '@baton/operations';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_SCOPE } from '../call/access.ts';
import { idempotencyOf, replayedSchema } from './idempotency.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

const projectRoot = getTasksInputSchema.shape.projectRoot.unwrap();

/** Deletes a project whole: the way back under the limits of what a tenant stores. */
export const deleteProjectTool = defineEdgeAdmittedTool({
  name: 'delete_project',
  title: 'Delete a project',
  category: 'project-management',
  changes: ['projects'],
  description:
    'Deletes a project with its tags, tasks, files, rules and reports. There is no way back. Tasks that run on it find no project.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  access: edgeAdmittedAccess(MCP_SCOPE),
  input: z.strictObject({ projectRoot: projectRoot.describe('The project; there is no default') }),
  output: [z.object({ projectRoot: z.string(), deleted: z.literal(true), replayed: replayedSchema })],
  run: async (input, { tenant, identity }, meta) => {
    const { projectRoot } = input;
    const idempotency = await idempotencyOf(
      deleteProjectTool.name,
      input,
      meta,
      async () => identity.principal,
    );
    const replayed = (await tenant.projects.delete(projectRoot, idempotency)) === 'replayed';
    return {
      text: replayed
        ? `An earlier call with the same idempotency key deleted project '${projectRoot}'; nothing was deleted now.`
        : `Project '${projectRoot}' is deleted.`,
      structured: { projectRoot, deleted: true, ...(replayed && { replayed }) },
    };
  },
});
