import { agentCatalogOf, toAgentDefinition, toPromptDefinition } from '@baton/agent-definitions';
import type { Lookup, Outcome } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { AgentSource, Definitions, Roles } from '@baton/store';

/** What a tenant's programs look up. */
export interface LookupSource {
  readonly agents: AgentSource;
  readonly prompts: Definitions;
  readonly roles: Roles;
}

/** Performs a lookup. Errors: what a repetition may mend (`unavailable`); every other is the effect's outcome. */
export async function performLookup(source: LookupSource, of: Lookup): Promise<Outcome> {
  try {
    return { ok: true, value: await find(source, of) };
  } catch (thrown) {
    if (!(thrown instanceof BatonError) || thrown.row.repeat) throw thrown;
    return { ok: false, error: thrown.toWire() };
  }
}

async function find({ agents, prompts, roles }: LookupSource, of: Lookup): Promise<unknown> {
  if ('role' in of) return { routes: await roles.countRoutes(of.role) };
  if ('prompt' in of) return toPromptDefinition(await prompts.get(of.prompt, of.version));
  if ('agent' in of) return findAgent(agents, of.agent);
  const { entries, primary } = await agents.entries();
  const isThere = entries.some(({ name }) => name === primary);
  return agentCatalogOf(
    entries,
    primary !== undefined && isThere ? await findAgent(agents, primary) : undefined,
  );
}

async function findAgent(agents: AgentSource, id: string) {
  const { stored, entry } = await agents.read(id);
  return toAgentDefinition(stored, entry);
}
