import { type ChangedResource, changedResources } from '@baton/operations';
import { isRecord } from '@baton/protocol';
import type { Call, Tool } from '../../call/call.ts';
import { resourceKinds } from '../../resources/catalog.ts';
import { resourceEntry } from '../../resources/resource-kind.ts';

const kindByName: ReadonlyMap<string, (typeof resourceKinds)[number]> = new Map(
  resourceKinds.map((kind) => [kind.name, kind]),
);

/**
 * Links, as blocks of content, to the resources that a call has made or changed: those that its tool declares and its result names. An
 * answer changes what the operation that it ends declares; a call that is to go on has made a task.
 */
export function changedResourceLinks(
  tool: Tool,
  structured: object,
  { services }: Pick<Call, 'services'>,
): readonly string[] {
  const { kinds, result } = changedBy(services.tools, tool, structured as Record<string, unknown>);
  return changedResources(kinds, result).flatMap(({ kind: changed, variables }) => {
    const kind = kindByName.get(changed);
    if (kind === undefined) return [];
    const { uri, name, title } = resourceEntry(kind, variables);
    // A host reads what else there is to know of it from the lists of resources; here it may be read by a model.
    return [JSON.stringify({ type: 'resource_link', uri, name, title })];
  });
}

const MADE_TASK: readonly ChangedResource[] = ['delegated-task'];
const OPEN: ReadonlySet<unknown> = new Set(['pending_agent_llm_action', 'working']);

function changedBy(
  tools: ReadonlyMap<string, Tool>,
  tool: Tool,
  structured: Record<string, unknown>,
): { kinds: readonly ChangedResource[]; result: Record<string, unknown> } {
  const { outcome, status } = structured;
  const ended = isRecord(outcome) ? outcome['result'] : undefined;
  if (isRecord(ended)) return { kinds: tools.get(String(ended['operation']))?.changes ?? [], result: ended };
  return {
    kinds: OPEN.has(status) && tool.startTask !== undefined ? MADE_TASK : tool.changes,
    result: structured,
  };
}
