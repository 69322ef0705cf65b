import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { Protocol } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import type { Call } from '../call/call.ts';
import { RESOURCE_CAPABILITIES, resourceRequestHandlers } from '../resources/request-handlers.ts';
import type { Tool } from '../tools/tool.ts';
import { callTool } from './call-tool.ts';
import { callFromAuthInfo } from '../json-rpc/call-context.ts';
import { rawRequest, toRpcError, parseRequest } from '../json-rpc/parse-request.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';

/** Building a validator is a quarter of building a server: all servers of this process share one. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const INSTRUCTIONS =
  'Tools whose work needs an LLM answer with status "pending_agent_llm_action" and an llmRequestForAgent. Make that LLM ' +
  'call yourself, then call agent_llm with the interactionId and the outcome; its answer holds the finished result or ' +
  'the next request. If you lost an interaction, pending_interactions lists what waits, task_status tells how a task stands.';

/** What both ways lead to. */
export interface McpServerFactory {
  /** A server that speaks MCP's 2025 revisions; all of the protocol's behaviour is the SDK's. */
  createServer(): Server;
  /**
   * What that server does for a `tools/call`, as the JSON that leaves. Throws what it answers as an error: an
   * `RpcError`, always.
   */
  callTool(params: CallToolRequest['params'], call: Call): Promise<string>;
}

/** The servers of this process share the tools and one schema validator. */
export function createMcpServerFactory(
  tools: ReadonlyMap<string, Tool>,
  version: string,
  log: (error: unknown) => void,
): McpServerFactory {
  const listed = [...tools.values()].map((tool) => tool.listing);
  const callOne: McpServerFactory['callTool'] = (params, call) =>
    toRpcError(call, () => callTool(tools, params, call, log));
  const serveResources = resourceRequestHandlers(log);
  const makeServer = () => {
    const server = new Server(
      { name: 'baton', title: 'Baton', version },
      {
        capabilities: { tools: {}, ...RESOURCE_CAPABILITIES },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator,
      },
    );
    server.setRequestHandler(rawRequest('tools/list'), (request, { authInfo }) =>
      toRpcError(callFromAuthInfo(authInfo), async () => {
        const { params } = parseRequest(ListToolsRequestSchema, request);
        // All tools fit one page, so there is no cursor that Baton could have given out.
        if (params?.cursor !== undefined)
          throw new RpcError(-32602, `Unknown cursor: ${params.cursor.slice(0, 100)}`);
        return { tools: listed };
      }),
    );
    // Not the Server's own: that reads each result into its types, and loses what they lack, such as the title of an
    // embedded resource.
    Protocol.prototype.setRequestHandler.call(server, rawRequest('tools/call'), (request, { authInfo }) => {
      const call = callFromAuthInfo(authInfo);
      return toRpcError(call, async () => {
        const { params } = parseRequest(CallToolRequestSchema, request);
        return JSON.parse(await callOne(params, call)) as CallToolResult;
      });
    });
    serveResources(server);
    return server;
  };
  return { createServer: makeServer, callTool: callOne };
}
