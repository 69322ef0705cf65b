import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { Protocol } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolRequest,
  type CallToolResult,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { TOOL_CAPABILITIES } from '../../agents/list-tools.ts';
import { COMPLETION_CAPABILITIES } from '../../completion/completion-method.ts';
import { callFromExtra } from '../../json-rpc/call-in-auth-info.ts';
import type { McpMethod } from '../../json-rpc/mcp-method.ts';
import { rawRequestSchema } from '../../json-rpc/parse-request.ts';
import { rethrowAsRpcError } from '../../json-rpc/rpc-error.ts';
import { PROMPT_CAPABILITIES } from '../../prompts/prompt-methods.ts';
import { RESOURCE_CAPABILITIES } from '../../resources/resource-methods.ts';
import { subscriptionMethods } from '../../resources/subscribe.ts';
import { createTask } from '../../tasks/create-task.ts';
import { TASK_CAPABILITIES, taskMethods } from '../../tasks/task-methods.ts';
import { joinToolResult } from '../../tool-results/tool-result.ts';
import type { Call } from '../../call/call.ts';
import { resolveDialect } from '../../call/resolve-dialect.ts';
import { callTool, formatCalledTool } from '../dispatch/call-tool.ts';
import { chooseDialectOf2025 } from './call/dialect-of-2025.ts';
import { subscribeToStatus } from './session-stream.ts';
import { setLogLevelMethod } from './set-log-level.ts';
import { callToolMethod } from './call-tool-method.ts';
import { streamTaskResult, streamToolCall } from './task-stream/run-on-stream.ts';
import type { TaskStreamDependencies } from './task-stream/task-stream.ts';
import { isPlainToolCall } from '../dispatch/plain-tool-call.ts';
import { InFlightRequests } from '../dispatch/in-flight-requests.ts';
import { INSTRUCTIONS, SERVER_INFO, METHODS_OF_ALL_REVISIONS } from '../dispatch/mcp-methods.ts';
import type { RevisionServer } from '../dispatch/revision-server.ts';

/** Building a validator is a quarter of building a server: all servers of this process share one. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The methods of the 2025 revisions but `tasks/result`. */
export const METHODS_OF_2025: readonly McpMethod[] = [
  callToolMethod(async (params, call) => {
    if (params.task !== undefined) {
      const begun = await createTask(params, call);
      await subscribeToStatus(begun.task.taskId, call);
      return begun;
    }
    const result = await formatCalledTool(await callTool(params, call), call);
    return JSON.parse(joinToolResult(result)) as CallToolResult;
  }),
  ...METHODS_OF_ALL_REVISIONS,
  ...subscriptionMethods,
  setLogLevelMethod,
  ...taskMethods,
];

/** A `tools/call`: its result, which in the dialect `sampling` comes once its client was asked all that its work asks. */
async function callToolOf2025(
  streams: TaskStreamDependencies,
  id: JSONRPCRequest['id'],
  params: CallToolRequest['params'],
  caller: Call,
): Promise<string | undefined> {
  const call = { ...caller, dialectChoice: await chooseDialectOf2025(params._meta, caller, 'tool') };
  const called = await callTool(params, call);
  const { outcome } = called;
  const unfinished = outcome.kind === 'replied' ? outcome.reply.unfinished : undefined;
  const dialectChoice = unfinished && (await resolveDialect(call));
  if (unfinished === undefined || dialectChoice?.dialect !== 'sampling' || call.sendEvent === undefined)
    return joinToolResult(await formatCalledTool(called, call));
  return streamToolCall(
    streams,
    { id, progressToken: params._meta?.progressToken },
    called,
    unfinished,
    call,
  );
}

/** A server of the 2025 revisions. `declaresTasks`: to a client of the revision that has them. */
export function createServerOf2025(served: readonly McpMethod[], declaresTasks: boolean): Server {
  const server = new Server(SERVER_INFO, {
    capabilities: {
      ...TOOL_CAPABILITIES,
      ...PROMPT_CAPABILITIES,
      ...RESOURCE_CAPABILITIES,
      ...(declaresTasks ? TASK_CAPABILITIES : {}),
      ...COMPLETION_CAPABILITIES,
      logging: {},
    },
    instructions: INSTRUCTIONS,
    jsonSchemaValidator,
  });
  for (const method of served) {
    if (!declaresTasks && method.name.startsWith('tasks/')) continue;
    // Not the Server's own: that reads each tool's result into its types, and loses what they lack, such as the title of an
    // embedded resource.
    Protocol.prototype.setRequestHandler.call(server, rawRequestSchema(method.name), ({ params }, extra) => {
      const call = callFromExtra(extra);
      return rethrowAsRpcError(call, () => method.answer(params, call));
    });
  }
  return server;
}

/** Connects the server to the requests of this process's clients. */
export async function serveRevisionsOf2025(
  server: Server,
  streams: TaskStreamDependencies,
): Promise<RevisionServer> {
  const transport = new InProcessTransport();
  await server.connect(transport);
  return {
    exchange: (request, call, notify) => transport.inFlight.send(request, call, notify),
    directAnswer: ({ method, params, id }) => {
      if (method !== 'tools/call' || !isDirectToolCall(params)) return undefined;
      return (call) => rethrowAsRpcError(call, () => callToolOf2025(streams, id, params, call));
    },
    statuses: new Map(),
  };
}

/** The same with the tasks of 2025-11-25, whose results are waited for on streams. */
export async function serveTasksOf2025(
  server: Server,
  streams: TaskStreamDependencies,
): Promise<RevisionServer> {
  const served = await serveRevisionsOf2025(server, streams);
  return {
    ...served,
    directAnswer: (request) => {
      const { id, method, params } = request;
      if (method !== 'tasks/result') return served.directAnswer(request);
      return (call) => rethrowAsRpcError(call, () => streamTaskResult(streams, id, params, call));
    },
  };
}

function isDirectToolCall(params: unknown): params is CallToolRequest['params'] {
  return (
    isPlainToolCall(params) &&
    params.task === undefined &&
    params._meta?.[RELATED_TASK_META_KEY] === undefined
  );
}

/** Carries the requests of this process's clients to its server. */
class InProcessTransport implements Transport {
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly inFlight = new InFlightRequests((request, extra) => this.onmessage?.(request, extra));

  async send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    this.inFlight.receive(message, relatedRequestId);
  }

  async start(): Promise<void> {}
  async close(): Promise<void> {}
}
