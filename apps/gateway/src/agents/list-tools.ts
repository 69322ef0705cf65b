import { specialistOf } from '@baton/agent-definitions';
import { type ListToolsResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { TenantStore } from '@baton/store';
import { ANY_MCP_CALLER } from '../call/access.ts';
import { defineEdgeAdmittedMethod, type McpMethod } from '../json-rpc/mcp-method.ts';
import { areListing, mayListAgents, selectionsOf } from '../tool-listing/tool-selection.ts';
import { createAgentTool } from './agent-tool.ts';
import type { Tool } from '../call/call.ts';

export const TOOL_CAPABILITIES = { tools: { listChanged: true } };

/** `tools/list`: of what the request and its key select, the tools of every tenant, and behind them, in pages by id, the tenant's enabled specialists. */
export const listToolsMethod: McpMethod = defineEdgeAdmittedMethod(
  'tools/list',
  ANY_MCP_CALLER,
  ListToolsRequestSchema,
  async ({ params }, { services, tenant, identity, selections = [], client }) => {
    const listings = [...services.tools.values()].map((tool) => tool.listing);
    const cursor = params?.cursor;
    const all = selectionsOf(selections, identity.tools);
    const { listed, ...next } = mayListAgents(all) ? await listAgentTools(tenant, cursor) : { listed: [] };
    const page = cursor === undefined ? [...listings, ...listed] : listed;
    const selected = page
      .filter(({ name }) => areListing(all, name))
      .map((one) => (client?.takesOutputSchemas === false ? withoutOutputSchema(one) : one));
    return { tools: selected as ListToolsResult['tools'], ...next };
  },
);

function withoutOutputSchema({
  outputSchema: _,
  ...listing
}: Tool['listing']): Omit<Tool['listing'], 'outputSchema'> {
  return listing;
}

/** A page of the specialists that are enabled; it may be short and still have a next one. */
async function listAgentTools({ agents }: TenantStore, cursor: string | undefined) {
  const { items, ...next } = agents.pageOfNames('tools', await agents.names(), cursor);
  const { entries, primary } = await agents.entriesOf(items);
  const callable = entries.filter(({ name, enabled }) => enabled && name !== primary);
  return { listed: callable.map((entry) => createAgentTool(specialistOf(entry)).listing), ...next };
}
