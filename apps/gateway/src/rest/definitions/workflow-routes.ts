import { toolNameOf } from '@baton/agent-definitions';
import { canonicalJson, isRecord, type JsonObject, WORKFLOW_OPERATION } from '@baton/protocol';
import type { Identity, StoredDefinition, TenantStore } from '@baton/store';
import {
  type FindTool,
  parseWorkflow,
  workflowNameSchema,
  workflowSchema,
  type WorkflowInput,
  type WorkflowTool,
} from '@baton/workflows';
import { z } from 'zod';
import { type DefinitionRoutes, storedFields, versionFields } from './definition-routes.ts';
import { requireNameOfPath } from './name-of-path.ts';
import type { Tool } from '../../call/call.ts';
import { findUriProblem } from '../../resources/resolve-resource-uri.ts';

const summarySchema = z.object({
  name: z.string(),
  ...versionFields,
  description: z.string(),
  steps: z.int(),
});

const tasksSchema = z
  .array(z.string())
  .describe('Tasks that go on with it, of the newest 500 or so that the caller may see');

const historySchema = z.object({
  versions: z.array(z.object({ name: z.string(), ...storedFields, tasks: tasksSchema })),
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
    historySchema,
    onDelete: 'its tasks go on with the version that they began with',
    registry: ({ workflows }) => workflows,
    async list({ workflows }, cursor) {
      const { items, ...next } = await workflows.page('workflows', cursor);
      return { items: items.map(summaryOf), ...next };
    },
    history: historyOf,
    async put(tenant, identity, name, sent, how) {
      const { workflows } = tenant;
      const workflow = parseWorkflow(sent, await workflowTools(tools, tenant), findUriProblem);
      requireNameOfPath('name', name, workflow.name);
      return workflows.put(identity, name, { definition: workflow as unknown as JsonObject, ...how });
    },
  };
}

/** What the arguments of a specialist may be is asked in a thread, when it is called. */
const SPECIALIST: WorkflowTool = { argumentNames: undefined, findProblems: () => [] };

/** The tools of this gateway, and the specialists of a tenant, as definitions of workflows are held against them. */
async function workflowTools(tools: ReadonlyMap<string, Tool>, { agents }: TenantStore): Promise<FindTool> {
  const [names, primary] = await Promise.all([agents.names(), agents.primary()]);
  const specialists = new Set(names.filter((name) => name !== primary).map(toolNameOf));
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

function summaryOf({ definition, ...stored }: StoredDefinition): z.infer<typeof summarySchema> {
  const { description, steps } = workflowSchema.parse(definition);
  return { ...stored, description, steps: steps.length };
}

async function historyOf(
  tenant: TenantStore,
  name: string,
  identity: Identity,
): Promise<z.infer<typeof historySchema>> {
  await tenant.workflows.get(name);
  return tenant.workflows.inTurn(async () => {
    const versions = await tenant.workflows.versions(name);
    const tasks = await unfinishedTasksByVersion(tenant, identity, name, versions);
    return {
      versions: versions.map((one) => ({ ...one, tasks: [...(tasks.get(one.version) ?? [])] })),
      tasksOfDroppedVersions: [...(tasks.get(0) ?? [])],
    };
  });
}

/** So many pages of the tenant's newest tasks are looked at. */
const MOST_PAGES = 10;

/** Which unfinished tasks that the caller sees go on with which version of a workflow; 0 is a version that is not kept any more. */
async function unfinishedTasksByVersion(
  tenant: TenantStore,
  identity: Identity,
  name: string,
  versions: readonly StoredDefinition[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const known = new Map(versions.map(({ version, definition }) => [canonicalJson(definition), version]));
  const byVersion = new Map<number, string[]>();
  const filter = { status: 'working', operation: WORKFLOW_OPERATION } as const;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, nextCursor } = await tenant.queries.tasks(identity, cursor, filter);
    const inputs = await tenant.workflowTasks.inputs(items.map(({ taskId }) => taskId));
    for (const [taskId, input] of inputs) {
      const { workflow } = input as unknown as WorkflowInput;
      if (workflow.name !== name) continue;
      const version = known.get(canonicalJson(workflow)) ?? 0;
      byVersion.set(version, [...(byVersion.get(version) ?? []), taskId]);
    }
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return byVersion;
}
