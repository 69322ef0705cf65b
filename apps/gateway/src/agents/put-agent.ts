import {
  type AgentInput,
  agentSummaryOf,
  parseAgent,
  refuseGroupCycle,
  versionOf,
} from '@baton/agent-definitions';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { CallerSchemaValidator } from '@baton/runner';
import type { Identity, PutDefinition, PutOptions, TenantStore } from '@baton/store';

/** A group is held against those of the others again when one of them was stored meanwhile, so often. */
const MAX_TRIES = 20;

/**
 * Stores an agent as it was sent, or as a file of Rustbot's has it. Returns what of it was left out.
 * Errors: `invalid_arguments` naming the field, those of `Definitions.put`.
 */
export async function putAgent(
  {
    tenant,
    isTool,
    validator,
  }: { tenant: TenantStore; isTool: (name: string) => boolean; validator: CallerSchemaValidator },
  identity: Identity,
  sent: unknown,
  checkId: (id: string) => void,
  how: PutOptions = {},
): Promise<PutDefinition & { readonly ignored: readonly string[] }> {
  const { agent, ignored } = parseAgent(sent, isTool);
  checkId(agent.id);
  if (agent.parameters !== undefined)
    await validator.requireUsableSchema(tenant.id, agent.parameters, 'parameters');
  const put = (revision?: string) =>
    tenant.agents.put(identity, agent.id, {
      definition: versionOf(agent),
      summary: agentSummaryOf(agent) as unknown as JsonObject,
      enabled: agent.enabled,
      primary: agent.isPrimary,
      ...(revision !== undefined && { revision }),
      ...how,
    });
  return { ...(await (calls(agent) ? putOutsideCycles(tenant, agent, put) : put())), ignored };
}

/** Who has no group calls nobody, and is part of no cycle. */
function calls({ group = [] }: AgentInput): boolean {
  return group.length > 0;
}

/** Stores an agent whose group leads back to it over no other's, also of those that another replica stores at the same time. */
async function putOutsideCycles(
  { agents }: TenantStore,
  agent: AgentInput,
  put: (revision: string) => Promise<PutDefinition>,
): Promise<PutDefinition> {
  return agents.inTurn(async () => {
    for (let tries = 1; ; tries++) {
      const { entries, revision } = await agents.entries();
      refuseGroupCycle(agent, entries);
      try {
        return await put(revision);
      } catch (thrown) {
        const isRace = thrown instanceof BatonError && thrown.code === 'agents_conflict';
        if (!isRace || tries === MAX_TRIES) throw thrown;
      }
    }
  });
}
