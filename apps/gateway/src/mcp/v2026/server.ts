import {
  PerRequestHTTPServerTransport,
  SERVER_INFO_META_KEY,
  Server,
  type JSONRPCMessage,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import { type CallToolRequest, CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { COMPLETION_CAPABILITIES } from '../../completion/completion-method.ts';
import { admitCallerUnlessAdmitted, ANY_MCP_CALLER } from '../../call/access.ts';
import type { Call } from '../../call/call.ts';
import { callFromExtra } from '../../json-rpc/call-in-auth-info.ts';
import type { McpMethod } from '../../json-rpc/mcp-method.ts';
import { parseRequest } from '../../json-rpc/parse-request.ts';
import { RpcError, rethrowAsRpcError } from '../../json-rpc/rpc-error.ts';
import { subscriptionMethods } from '../../resources/subscribe.ts';
import { joinToolResult } from '../../tool-results/tool-result.ts';
import { getPromptMethod } from '../../prompts/prompt-methods.ts';
import { isPlainToolCall } from '../dispatch/plain-tool-call.ts';
import { InFlightRequests } from '../dispatch/in-flight-requests.ts';
import { INSTRUCTIONS, SERVER_INFO, METHODS_OF_ALL_REVISIONS } from '../dispatch/mcp-methods.ts';
import type { RevisionServer } from '../dispatch/revision-server.ts';
import { CACHE_HINTS } from './cache-hints.ts';
import { callToolOf2026 } from './call-tool.ts';
import { getPromptOf2026 } from './get-prompt.ts';
import { LISTEN } from './listen/listen.ts';
import type { RequestStates } from './input-required/request-states.ts';
import { type TasksExtensionMethod, taskMethodsOf2026 } from './tasks/task-methods.ts';
import { TASKS } from '../../call/dialect-choice.ts';
import { ERROR_STATUSES, REVISION_OF_2026 } from './request/revision.ts';

/** Logging is per request there: its level stands in the request (`log-messages.ts`). */
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  ...COMPLETION_CAPABILITIES,
  ...TASKS,
};

/** Params are read by the method itself, whatever the revision. */
const ANY = { params: z.looseObject({}), result: z.looseObject({}) };

/** Connects the server of 2026-07-28 to the requests of this process's clients. */
export async function serveRevisionOf2026(states: RequestStates): Promise<RevisionServer> {
  const transport = new SharedTransport();
  await createServerOf2026(methodsOf2026(states)).connect(transport);
  const tasks = new Map(taskMethodsOf2026.map((method) => [method.name, method]));
  // As the server stamps what goes through it: with the type of the result, and with its own name.
  const stamp = { [SERVER_INFO_META_KEY]: SERVER_INFO };
  const stampMember = JSON.stringify(stamp).slice(1, -1);
  return {
    exchange: (request, call, notify) => transport.inFlight.send(request, call, notify),
    directAnswer: ({ method: name, params }) => {
      if (name === 'tools/call') {
        const toolCall = readToolCall(params);
        return (call) => rethrowAsRpcError(call, () => callTool(toolCall, call));
      }
      if (SUBSCRIPTION_METHODS.has(name)) return (call) => refuseSubscription(name, call);
      const method = tasks.get(name);
      return method && ((call) => rethrowAsRpcError(call, () => answerOf(method, params, call)));
    },
    statuses: ERROR_STATUSES,
  };

  async function callTool(params: CallToolRequest['params'], call: Call): Promise<string> {
    const result = await callToolOf2026(states, params, call);
    if ('resultType' in result) return JSON.stringify({ ...result, _meta: { ...result._meta, ...stamp } });
    const { members, meta } = result;
    return joinToolResult({ members: `"resultType":"complete",${members}`, meta: [...meta, stampMember] });
  }

  async function answerOf(method: TasksExtensionMethod, params: unknown, call: Call): Promise<string> {
    const members = await method.answer(params, call);
    const type = '"resultType":"complete"';
    return joinToolResult({ members: members === '' ? type : `${type},${members}`, meta: [stampMember] });
  }
}

/** Subscriptions of the revisions before. */
const SUBSCRIPTION_METHODS: ReadonlySet<string> = new Set(subscriptionMethods.map(({ name }) => name));

/** Errors: those of the admission; otherwise -32601, which names what this revision has in its place. */
async function refuseSubscription(name: string, call: Call): Promise<never> {
  await admitCallerUnlessAdmitted(call, ANY_MCP_CALLER);
  const instead = `${LISTEN} with notifications.resourceSubscriptions takes its place in ${REVISION_OF_2026}`;
  throw new RpcError(-32601, `Method not found: ${name}; ${instead}.`);
}

function readToolCall(params: unknown): CallToolRequest['params'] {
  return isPlainToolCall(params)
    ? params
    : parseRequest(CallToolRequestSchema, { method: 'tools/call', params }).params;
}

/** The methods of 2026-07-28 but `tools/call` and those of tasks, which pass no server of the SDK; `prompts/get` is its own. */
export function methodsOf2026(states: RequestStates): readonly McpMethod[] {
  const prompt = getPromptMethod(async (params, call) => ({
    ...(await getPromptOf2026(states, params, call)),
  }));
  const shared = METHODS_OF_ALL_REVISIONS.filter(({ name }) => name !== prompt.name);
  return [prompt, ...shared];
}

/** A server of 2026-07-28. */
export function createServerOf2026(served: readonly McpMethod[]): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: CAPABILITIES,
    instructions: INSTRUCTIONS,
    supportedProtocolVersions: [REVISION_OF_2026],
    cacheHints: CACHE_HINTS,
  });
  for (const method of served) {
    server.setRequestHandler(method.name, ANY, (params, { mcpReq, http }) => {
      const { _meta, notify: sendNotification } = mcpReq;
      const authInfo = http?.authInfo;
      const extra = { ...(authInfo && { authInfo }), ...(_meta && { _meta }), sendNotification };
      const call = callFromExtra(extra);
      return rethrowAsRpcError(call, () => method.answer(params, call));
    });
  }
  return server;
}

/**
 * Carries the requests of this process's clients to its server. The SDK binds a server to 2026-07-28 by the class of its transport, which
 * is made for one request; of it only that is taken, since a server for each request costs more than the request.
 */
class SharedTransport extends PerRequestHTTPServerTransport {
  readonly inFlight = new InFlightRequests((request, extra) => this.onmessage?.(request, extra));

  constructor() {
    super({ classification: { era: 'modern', revision: REVISION_OF_2026 } });
  }

  override async send(
    message: JSONRPCMessage,
    { relatedRequestId }: TransportSendOptions = {},
  ): Promise<void> {
    this.inFlight.receive(message, relatedRequestId);
  }
}
