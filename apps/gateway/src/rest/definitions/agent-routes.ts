import { agentIdSchema } from '@baton/agent-definitions';
import type { JsonObject } from '@baton/protocol';
import type { CallerSchemaValidator } from '@baton/runner';
import type { DefinitionVersion, StoredDefinition } from '@baton/store';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { putAgent } from '../../agents/put-agent.ts';
import { tenantRouter } from '../admission/router.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { emptyBodySchema } from '../openapi/shared-schemas.ts';
import { CHANGE, type DefinitionRoutes, versionFields } from './definition-routes.ts';
import { requireNameOfPath } from './name-of-path.ts';

const stateFields = {
  enabled: z.boolean().describe('Whether it may be called; the primary always is'),
  isPrimary: z.boolean().describe('Whether it is the one that ask_assistant asks'),
};

const summarySchema = z.object({
  id: z.string(),
  ...versionFields,
  ...stateFields,
  name: z.string(),
  description: z.string().optional(),
  model: z.string().optional(),
});

const versionSchema = z.object({
  id: z.string(),
  ...versionFields,
  definition: z.looseObject({}).describe('As it was put, with its defaults, without its state'),
});

const wholeSchema = versionSchema.extend({
  ...stateFields,
  definition: z.looseObject({}).describe('As it was put, with its defaults and its state'),
});

const bodySchema = z
  .looseObject({})
  .describe(
    'An agent: id, name, instructions, personality?, model?, enabled?, isPrimary?, webSearchEnabled?, description?, parameters?, ' +
      "group?, ... (see docs/agents.md), or a file of Rustbot's as it is",
  )
  .meta({ examples: [{ id: 'research', name: 'Research', instructions: 'Find sources, and name them.' }] });

/** What agents are held against when they are put. */
export interface AgentContext {
  readonly isTool: (name: string) => boolean;
  readonly validator: CallerSchemaValidator;
}

/** A tenant's agents: its primary, and its specialists. */
export function agentRoutes(context: AgentContext): DefinitionRoutes {
  return {
    plural: 'agents',
    one: 'Agent',
    key: 'id',
    keySchema: agentIdSchema,
    body: bodySchema,
    summarySchema,
    wholeSchema,
    historySchema: z.object({ versions: z.array(versionSchema) }),
    onDelete: 'never the primary',
    changeProblems: [409],
    registry: ({ agents }) => agents,
    async list({ agents }, cursor) {
      const { items, ...next } = await agents.page('agents', cursor);
      const { entries, primary } = await agents.entriesOf(items.map(({ name }) => name));
      const enabled = new Map(entries.map((entry) => [entry.name, entry.enabled]));
      return {
        items: items.map((one) => ({
          ...summaryOf(one),
          enabled: enabled.get(one.name) ?? true,
          isPrimary: one.name === primary,
        })),
        ...next,
      };
    },
    show: showAgent,
    async put(tenant, identity, id, sent, how) {
      const checkId = (own: string) => requireNameOfPath('id', id, own);
      const { ignored, ...put } = await putAgent({ tenant, ...context }, identity, sent, checkId, how);
      return ignored.length === 0 ? put : { ...put, ignored };
    },
  };
}

/** What lists show of an agent: not its instructions. */
function summaryOf({ name: id, version, storedAt, storedBy, definition }: StoredDefinition) {
  const { name, description, model } = definition as {
    readonly name: string;
    readonly description?: string;
    readonly model?: string;
  };
  const given = { ...(description !== undefined && { description }), ...(model !== undefined && { model }) };
  return { id, version, storedAt, storedBy, name, ...given };
}

function showAgent({ stored, entry }: DefinitionVersion): z.infer<typeof wholeSchema> {
  const { enabled, isPrimary } = entry;
  const { name: id, definition, ...version } = stored;
  const whole: JsonObject = { ...definition, enabled, isPrimary };
  return { id, ...version, definition: whole, enabled, isPrimary };
}

const CHANGES = {
  enable: { change: { enabled: true }, summary: 'Enable an agent: it may be called' },
  disable: {
    change: { enabled: false },
    summary: 'Disable an agent: it may not be called; never the primary',
  },
  primary: {
    change: { primary: true },
    summary: 'Make an enabled agent the primary, in the place of the one that is, in one step',
  },
} as const;

/** Changes of an agent's state: none is a new version of it. */
export async function agentStateRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'agents', scopes: CHANGE });
  for (const [action, { change, summary }] of Object.entries(CHANGES)) {
    route(`POST /agents/:id/${action}`, {
      id: `${action === 'primary' ? 'makePrimary' : action}Agent`,
      summary,
      params: { id: agentIdSchema },
      body: emptyBodySchema.optional(),
      problems: [404, 409],
      reply: [200, 'How it stands now', z.object({ id: z.string(), ...stateFields })],
      async run({ tenant: { agents }, identity, params: { id } }) {
        await agents.changeAgent(identity, id, change);
        const { enabled, isPrimary } = await agents.entry(id);
        return { id, enabled, isPrimary };
      },
    });
  }
}
