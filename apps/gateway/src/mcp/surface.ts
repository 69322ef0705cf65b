import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { Protocol } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import type { Call } from '../context.ts';
import { RESOURCE_CAPABILITIES, resourceServing } from '../resources/index.ts';
import type { Tool } from '../tools/tool.ts';
import { callTool } from './call-tool.ts';
import { callOf } from './call-carrier.ts';
import { asItComes, refusing, wellFormed } from './handling.ts';
import { RpcError } from './rpc-error.ts';

/** Building a validator is a quarter of building a server: all servers of this process share one. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const INSTRUCTIONS =
  'Tools whose work needs an LLM answer with status "pending_agent_llm_action" and an llmRequestForAgent. Make that LLM ' +
  'call yourself, then call agent_llm with the interactionId and the outcome; its answer holds the finished result or ' +
  'the next request. If you lost an interaction, pending_interactions lists what waits, task_status tells how a task stands.';

/** What both ways lead to. */
export interface Surface {
  /** A server that speaks MCP's 2025 revisions; all of the protocol's behaviour is the SDK's. */
  makeServer(): Server;
  /**
   * What that server does for a `tools/call`, as the JSON that leaves. Throws what it answers as an error: an
   * `RpcError`, always.
   */
  callTool(params: CallToolRequest['params'], call: Call): Promise<string>;
}

/** The servers of this process share the tools and one schema validator. */
export function surface(
  tools: ReadonlyMap<string, Tool>,
  version: string,
  log: (error: unknown) => void,
): Surface {
  const listed = [...tools.values()].map((tool) => tool.listing);
  const callOne: Surface['callTool'] = (params, call) =>
    refusing(call, () => callTool(tools, params, call, log));
  const serveResources = resourceServing(log);
  const makeServer = () => {
    const server = new Server(
      { name: 'baton', title: 'Baton', version },
      {
        capabilities: { tools: {}, ...RESOURCE_CAPABILITIES },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator,
      },
    );
    server.setRequestHandler(asItComes('tools/list'), (request, { authInfo }) =>
      refusing(callOf(authInfo), async () => {
        const { params } = wellFormed(ListToolsRequestSchema, request);
        // All tools fit one page, so there is no cursor that Baton could have given out.
        if (params?.cursor !== undefined)
          throw new RpcError(-32602, `Unknown cursor: ${params.cursor.slice(0, 100)}`);
        return { tools: listed };
      }),
    );
    // Not the Server's own: that reads each result into its types, and loses what they lack, such as the title of an
    // embedded resource.
    Protocol.prototype.setRequestHandler.call(server, asItComes('tools/call'), (request, { authInfo }) => {
      const call = callOf(authInfo);
      return refusing(call, async () => {
        const { params } = wellFormed(CallToolRequestSchema, request);
        return JSON.parse(await callOne(params, call)) as CallToolResult;
      });
    });
    serveResources(server);
    return server;
  };
  return { makeServer, callTool: callOne };
}
