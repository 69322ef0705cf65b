import { type DefinitionProblem, findPath, problemsIn, refusalOf, refuseProblems } from '@baton/protocol';
import { type AgentInput, agentSchema } from './agent.ts';
import type { AgentEntry } from './agent-catalog.ts';
import { importRustbot } from './import-rustbot.ts';

/** The name of an agent's MCP tool, and of the function by which other agents call it. */
export function toolNameOf(id: string): string {
  return `agent_${id}`;
}

/** An agent as it was sent, or as a file of Rustbot's has it; `isTool` knows the names of tools. Errors: `invalid_arguments` naming the fields. */
export function parseAgent(
  sent: unknown,
  isTool: (name: string) => boolean,
): { readonly agent: AgentInput; readonly ignored: readonly string[] } {
  const imported = importRustbot(sent);
  const parsed = agentSchema.safeParse(imported.agent);
  if (!parsed.success) throw refusalOf(problemsIn(parsed.error, agentSchema, imported.agent));
  const agent = parsed.data;
  refuseProblems(findNameProblems(agent, isTool));
  return { agent, ignored: imported.ignored };
}

function findNameProblems({ id }: AgentInput, isTool: (name: string) => boolean): DefinitionProblem[] {
  if (!isTool(toolNameOf(id))) return [];
  return [{ field: 'id', problem: `'${toolNameOf(id)}' is a tool of Baton; choose another id` }];
}

/**
 * Refuses an agent whose group leads back to it. A group may name agents that are not there yet, so that files can be put in any order.
 * Errors: `invalid_arguments` naming the cycle.
 */
export function refuseGroupCycle(
  { id, group = [] }: Pick<AgentInput, 'id' | 'group'>,
  entries: readonly AgentEntry[],
): void {
  const groups = new Map(
    entries.map(({ name, summary }) => [name, (summary['group'] ?? []) as readonly string[]] as const),
  ).set(id, group);
  const cycle = findPath(groups, id, id);
  if (cycle === undefined) return;
  const problem = `a cycle: ${cycle.map((one) => `'${one}'`).join(' calls ')}`;
  refuseProblems([{ field: 'group', problem }]);
}
