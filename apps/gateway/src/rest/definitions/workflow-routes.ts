import { BatonError, type JsonObject } from '@baton/protocol';
import type { StoredDefinition, TenantStore } from '@baton/store';
import { parseWorkflow, workflowNameSchema, workflowSchema } from '@baton/workflows';
import { z } from 'zod';
import { workflowTools } from '../../prompts/workflow-tools.ts';
import type { Tool } from '../../tools/tool.ts';
import { unfinishedTasksByVersion } from '../../workflows/tasks-by-version.ts';
import { type DefinitionRoutes, versionFields } from './definition-routes.ts';
import { requireNameOfPath } from './name-of-path.ts';

const summarySchema = z.object({
  name: z.string(),
  ...versionFields,
  description: z.string(),
  steps: z.int(),
});

const wholeSchema = z.object({
  name: z.string(),
  ...versionFields,
  definition: z.looseObject({}).describe('As it was put, with its defaults'),
});

const tasksSchema = z
  .array(z.string())
  .describe('Tasks that go on with it, of the newest 500 or so of the tenant');

const historySchema = z.object({
  versions: z.array(wholeSchema.extend({ tasks: tasksSchema })),
  tasksOfDroppedVersions: tasksSchema.describe('Tasks that go on with a version that is not kept any more'),
});

const bodySchema = z
  .looseObject({})
  .describe('A definition: name, title?, description, arguments?, steps (see docs/workflows.md)')
  .meta({
    examples: [
      { name: 'next', description: 'see what is next', steps: [{ name: 'next', tool: 'next_task' }] },
    ],
  });

/** A tenant's workflows: prompts that run. They are held against the tenant's tools when they are put. */
export function workflowRoutes(tools: ReadonlyMap<string, Tool>): DefinitionRoutes {
  return {
    plural: 'workflows',
    one: 'Workflow',
    key: 'name',
    keySchema: workflowNameSchema,
    body: bodySchema,
    summarySchema,
    wholeSchema,
    historySchema,
    onDelete: 'its tasks go on with the version that they began with',
    async list({ workflows }, cursor) {
      const { items, ...next } = await workflows.page('workflows', cursor);
      return { items: items.map(summaryOf), ...next };
    },
    read: ({ workflows }, name) => workflows.get(name),
    history: historyOf,
    async put(tenant, identity, name, sent) {
      const { workflows } = tenant;
      const workflow = parseWorkflow(sent, await workflowTools(tools, tenant));
      requireNameOfPath('name', name, workflow.name);
      await refuseNameOfPublicPrompt(tenant, name);
      return {
        version: await workflows.put(identity, name, { definition: workflow as unknown as JsonObject }),
      };
    },
    delete: ({ workflows }, identity, name) => workflows.delete(identity, name),
  };
}

function summaryOf({ definition, ...stored }: StoredDefinition): z.infer<typeof summarySchema> {
  const { description, steps } = workflowSchema.parse(definition);
  return { ...stored, description, steps: steps.length };
}

async function historyOf(tenant: TenantStore, name: string): Promise<z.infer<typeof historySchema>> {
  await tenant.workflows.get(name);
  const versions = await tenant.workflows.versions(name);
  const tasks = await unfinishedTasksByVersion(tenant, name, versions);
  return {
    versions: versions.map((one) => ({ ...one, tasks: [...(tasks.get(one.version) ?? [])] })),
    tasksOfDroppedVersions: [...(tasks.get(0) ?? [])],
  };
}

/** The two would be one MCP prompt. */
async function refuseNameOfPublicPrompt({ prompts }: TenantStore, name: string): Promise<void> {
  const { entries } = await prompts.entriesOf([name]);
  if (entries[0]?.summary?.['public'] !== true) return;
  const message = `name: '${name}' is a public prompt, and a workflow would have the same name in prompts/list`;
  throw new BatonError('invalid_arguments', message, { field: 'name' });
}
