import { BatonError, isRecord } from '@baton/protocol';
import {
  type CallToolRequest,
  isJSONRPCErrorResponse,
  type JSONRPCRequest,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/sdk/types.js';
import { admitCaller, ANY_MCP_CALLER } from '../call/access.ts';
import type { Call } from '../call/call.ts';
import { reportingProgress, wrapCallInAuthInfo } from '../json-rpc/call-in-auth-info.ts';
import { httpErrorOf, RpcError } from '../json-rpc/rpc-error.ts';
import type { Notify } from '../edge/streams/json-or-sse-reply.ts';
import { InProcessTransport } from './in-process-transport.ts';
import type { McpServerFactory } from './mcp-server.ts';

/** A JSON-RPC response as the JSON that leaves, and the error whose HTTP status goes with it, if it has one. */
export interface SharedServerReply {
  readonly json: string;
  readonly httpError: BatonError | undefined;
}

/**
 * The way past the SDK's HTTP transport: one server, built once, behind an in-process transport that carries every
 * request of this replica under a number of its own. The protocol stays the SDK's; what is saved is a server and a
 * transport per request. Only requests go in: a client's notification or response would name ids that are not its own here.
 *
 * A plain `tools/call`, which is nearly every request, goes straight to what the server's handler does for it: the
 * SDK would parse its request and its result twice more and say the same.
 */
export class SharedMcpServer {
  private readonly transport = new InProcessTransport();
  private readonly servers: McpServerFactory;

  private constructor(servers: McpServerFactory) {
    this.servers = servers;
  }

  static async open(servers: McpServerFactory): Promise<SharedMcpServer> {
    const path = new SharedMcpServer(servers);
    await servers.createServer().connect(path.transport);
    return path;
  }

  /** `notify` sends what the request's caller is told before its response. */
  async send(request: JSONRPCRequest, call: Call, notify?: Notify): Promise<SharedServerReply> {
    const { id } = request;
    try {
      return isPlainToolCall(request)
        ? await this.callTool(request, call, notify)
        : await this.sendToServer(request, call, notify);
    } catch (thrown) {
      if (thrown instanceof BatonError) return errorReply(RpcError.of(thrown), id);
      if (thrown instanceof RpcError) return errorReply(thrown, id);
      throw thrown;
    }
  }

  private async callTool(
    { id, params }: PlainToolCall,
    call: Call,
    notify: Notify | undefined,
  ): Promise<SharedServerReply> {
    const progressToken = notify && params._meta?.progressToken;
    const reporting = reportingProgress(call, progressToken, async (notification) =>
      notify?.(JSON.stringify({ jsonrpc: '2.0', ...notification })),
    );
    const result = await this.servers.callTool(params, reporting);
    return { json: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, httpError: undefined };
  }

  private async sendToServer(
    request: JSONRPCRequest,
    call: Call,
    notify: Notify | undefined,
  ): Promise<SharedServerReply> {
    // The SDK answers some methods itself, such as `ping` and unknown ones.
    await admitCaller(call, ANY_MCP_CALLER);
    const response = await this.transport.exchange(
      request,
      { authInfo: wrapCallInAuthInfo(call) },
      notify && ((notification) => notify(JSON.stringify(notification))),
    );
    return {
      json: JSON.stringify({ ...response, id: request.id }),
      httpError: isJSONRPCErrorResponse(response) ? httpErrorOf(response.error.data) : undefined,
    };
  }
}

function errorReply(error: RpcError, id: JSONRPCRequest['id']): SharedServerReply {
  return { json: error.toResponse(id), httpError: httpErrorOf(error.data) };
}

type PlainToolCall = JSONRPCRequest & { params: CallToolRequest['params'] };

/** True for a call that asks nothing of the protocol but the call itself; what is odd in any way is for the SDK to judge. */
function isPlainToolCall(request: JSONRPCRequest): request is PlainToolCall {
  const { method, params } = request;
  return (
    method === 'tools/call' &&
    params !== undefined &&
    typeof params['name'] === 'string' &&
    (params['arguments'] === undefined || isRecord(params['arguments'])) &&
    params['task'] === undefined &&
    params._meta?.[RELATED_TASK_META_KEY] === undefined
  );
}
