import type { JsonObject } from '@baton/protocol';
import type { AgentDefinition, AgentInput } from './agent.ts';

/** What others see of an agent: what its tool is, and whom it may call. */
export interface Specialist {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The input schema of its tool. */
  readonly parameters: JsonObject;
  readonly group?: readonly string[];
}

export interface AgentCatalog {
  /** Null for a tenant that has no agent. */
  readonly primary: AgentDefinition | null;
  /** The enabled agents beside the primary, in the order of their ids. */
  readonly specialists: readonly Specialist[];
}

/** What lists show of an agent: kept beside its versions. */
export type AgentSummary = Pick<AgentInput, 'name' | 'description' | 'parameters' | 'group' | 'model'>;

/** An agent in a list, as the store has it. */
export interface AgentEntry {
  readonly name: string;
  readonly enabled: boolean;
  readonly summary: JsonObject;
}

/** The parameters of a tool whose agent says none. */
const MESSAGE_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'What it is asked to do, with all that it has to know' },
    content: {
      type: 'array',
      items: { type: 'object' },
      description: 'Content blocks of MCP beside the message: image, audio, resource_link, resource',
    },
  },
  required: ['message'],
  additionalProperties: false,
};

export function agentSummaryOf({ name, description, parameters, group, model }: AgentInput): AgentSummary {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(group === undefined ? {} : { group }),
    ...(model === undefined ? {} : { model }),
  };
}

/** The input schema of an agent's tool. */
export function parametersOf({ parameters }: Pick<AgentSummary, 'parameters'>): JsonObject {
  return parameters ?? MESSAGE_PARAMETERS;
}

/** `entry` as others see it. */
export function specialistOf({ name: id, summary }: AgentEntry): Specialist {
  const { name = id, description, group } = summary as Partial<AgentSummary>;
  return {
    id,
    name,
    description: description ?? `Asks the agent '${name}'.`,
    parameters: parametersOf(summary as Partial<AgentSummary>),
    ...(group === undefined ? {} : { group }),
  };
}

/** The catalog of a tenant's agents. */
export function agentCatalogOf(
  entries: readonly AgentEntry[],
  primary: AgentDefinition | undefined,
): AgentCatalog {
  const specialists = entries
    .filter(({ name, enabled }) => enabled && name !== primary?.id)
    .map(specialistOf);
  return { primary: primary ?? null, specialists };
}
