import { agentSummaryOf, parseAgent, versionOf } from '@baton/agent-definitions';
import { BatonError, type JsonObject } from '@baton/protocol';
import type { CallerSchemaValidator } from '@baton/runner';
import type { ExpectedEtag, Identity, PutDefinition, TenantStore } from '@baton/store';

/** An agent is held against the others again when they have changed meanwhile, so often. */
const MAX_TRIES = 5;

/**
 * Stores an agent as it was sent, or as a file of Rustbot's has it: held against the gateway's tools and the tenant's other agents,
 * also against those that another replica stores at the same time. Returns what of it was left out.
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
  expected?: ExpectedEtag,
): Promise<PutDefinition & { readonly ignored: readonly string[] }> {
  for (let tries = 1; ; tries++) {
    const { entries, revision } = await tenant.agents.entries();
    const { agent, ignored } = parseAgent(sent, { isTool, entries });
    checkId(agent.id);
    if (agent.parameters !== undefined && tries === 1)
      await validator.requireUsableSchema(tenant.id, agent.parameters, 'parameters');
    try {
      const put = await tenant.agents.put(identity, agent.id, {
        definition: versionOf(agent),
        summary: agentSummaryOf(agent) as unknown as JsonObject,
        enabled: agent.enabled,
        primary: agent.isPrimary,
        revision,
        expected,
      });
      return { ...put, ignored };
    } catch (thrown) {
      const isRace = thrown instanceof BatonError && thrown.code === 'agents_conflict';
      if (!isRace || tries === MAX_TRIES) throw thrown;
    }
  }
}
