import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { Protocol } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { listToolsMethod, TOOL_CAPABILITIES } from '../agents/list-tools.ts';
import { MCP_OR_AGENT_SCOPE, scriptAdmittedAccess } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import { callFromExtra } from '../json-rpc/call-in-auth-info.ts';
import type { McpMethod } from '../json-rpc/mcp-method.ts';
import { parseRequest, rawRequestSchema } from '../json-rpc/parse-request.ts';
import { rethrowAsRpcError } from '../json-rpc/rpc-error.ts';
import { COMPLETION_CAPABILITIES, completionMethod } from '../completion/completion-method.ts';
import { PROMPT_CAPABILITIES, promptMethods } from '../prompts/prompt-methods.ts';
import { RESOURCE_CAPABILITIES, resourceMethods } from '../resources/resource-methods.ts';
import { createTask } from '../tasks/create-task.ts';
import { TASK_CAPABILITIES, taskMethods } from '../tasks/task-methods.ts';
import type { Tool } from '../tools/tool.ts';
import { callTool } from './call-tool.ts';

/** Building a validator is a quarter of building a server: all servers of this process share one. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const INSTRUCTIONS =
  'Tools whose work needs an LLM answer with status "pending_agent_llm_action" and an llmRequestForAgent. Make that LLM ' +
  'call yourself, then call agent_llm with the interactionId and the outcome; its answer holds the finished result or ' +
  'the next request. If you lost an interaction, pending_interactions lists what waits, task_status tells how a task stands.';

/** The MCP servers of this process. */
export interface McpServerFactory {
  /** The methods that Baton serves, with their accesses. */
  readonly methods: readonly McpMethod[];
  /** Whether a tool of this name is there for every tenant. */
  readonly isTool: (name: string) => boolean;
  /** A server that speaks MCP's 2025 revisions; all of the protocol's behaviour is the SDK's. `declaresTasks`: to a client of the revision that has them. */
  createServer(declaresTasks?: boolean): Server;
  /**
   * What that server does for a `tools/call`, a task of it included, as the JSON that leaves. Throws what it answers as an error: an
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
  const callOne: McpServerFactory['callTool'] = (params, call) =>
    rethrowAsRpcError(log, async () =>
      params.task === undefined
        ? callTool(tools, params, call, log)
        : JSON.stringify(await createTask(tools, params, call, log)),
    );
  const methodsOfTasks = taskMethods();
  const others = [
    listToolsMethod(tools),
    callToolMethod(callOne),
    ...promptMethods(tools, log),
    ...resourceMethods,
    completionMethod(tools),
  ];
  const methods = [...others, ...methodsOfTasks];
  const createServer = (declaresTasks = true) => {
    const server = new Server(
      { name: 'baton', title: 'Baton', version },
      {
        capabilities: {
          ...TOOL_CAPABILITIES,
          ...PROMPT_CAPABILITIES,
          ...RESOURCE_CAPABILITIES,
          ...(declaresTasks ? TASK_CAPABILITIES : {}),
          ...COMPLETION_CAPABILITIES,
        },
        instructions: INSTRUCTIONS,
        jsonSchemaValidator,
      },
    );
    for (const method of declaresTasks ? methods : others) method.register(server, log);
    return server;
  };
  return { methods, isTool: (name) => tools.has(name), createServer, callTool: callOne };
}

/** Its caller is admitted as the tool declares. */
function callToolMethod(callOne: McpServerFactory['callTool']): McpMethod {
  const name = 'tools/call';
  return {
    name,
    access: scriptAdmittedAccess(MCP_OR_AGENT_SCOPE),
    // Not the Server's own: that reads each result into its types, and loses what they lack, such as the title of an
    // embedded resource.
    register: (server, log) =>
      Protocol.prototype.setRequestHandler.call(server, rawRequestSchema(name), (request, extra) =>
        rethrowAsRpcError(log, async () => {
          const { params } = parseRequest(CallToolRequestSchema, request);
          return JSON.parse(await callOne(params, callFromExtra(extra))) as CallToolResult;
        }),
      ),
  };
}
