import { canonicalJson, WORKFLOW_OPERATION } from '@baton/protocol';
import type { Identity, StoredDefinition, TenantStore } from '@baton/store';
import type { WorkflowInput } from '@baton/workflows';

/** So many pages of the tenant's newest tasks are looked at. */
const MOST_PAGES = 10;

/** A version is needed whoever's task it is; nothing is shown of the task but its id. */
const WHOLE_TENANT: Identity = { principal: '', scopes: new Set(['agent']) };

/** Which unfinished tasks go on with which version of a workflow; 0 is a version that is not kept any more. */
export async function unfinishedTasksByVersion(
  tenant: TenantStore,
  name: string,
  versions: readonly StoredDefinition[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const known = new Map(versions.map(({ version, definition }) => [canonicalJson(definition), version]));
  const byVersion = new Map<number, string[]>();
  const filter = { status: 'working', operation: WORKFLOW_OPERATION } as const;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { items, nextCursor } = await tenant.queries.tasks(WHOLE_TENANT, cursor, filter);
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
