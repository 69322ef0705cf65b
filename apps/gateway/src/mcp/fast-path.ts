import { isRecord } from '@baton/protocol';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  type CallToolRequest,
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  type MessageExtraInfo,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../call/call.ts';
import { toAuthInfo } from '../json-rpc/call-context.ts';
import { RpcError } from '../json-rpc/rpc-error.ts';
import type { McpServerFactory } from './mcp-server.ts';

type RpcResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/**
 * The short way past the SDK's HTTP transport: one server, built once, behind an in-process transport that carries
 * every request of this replica under a number of its own. The protocol stays the SDK's; what is saved is a server
 * and a transport per request. Only requests go in: a client's notification or response would name ids that are not
 * its own here.
 *
 * A plain `tools/call`, which is nearly every request, goes straight to what the server's handler does for it: the
 * SDK would parse its request and its result twice more and say the same. All responses are the JSON that leaves.
 */
export class FastPath {
  private readonly transport = new InProcessTransport();
  private readonly surface: McpServerFactory;

  private constructor(surface: McpServerFactory) {
    this.surface = surface;
  }

  static async open(surface: McpServerFactory): Promise<FastPath> {
    const way = new FastPath(surface);
    await surface.createServer().connect(way.transport);
    return way;
  }

  async send(request: JSONRPCRequest, call: Call): Promise<string> {
    const { id } = request;
    if (!isPlainToolCall(request)) {
      const response = await this.transport.exchange(request, { authInfo: toAuthInfo(call) });
      return JSON.stringify({ ...response, id });
    }
    try {
      const result = await this.surface.callTool(request.params, call);
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
    } catch (thrown) {
      if (thrown instanceof RpcError) return thrown.toResponse(id);
      throw thrown;
    }
  }
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

class InProcessTransport implements Transport {
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private readonly waiting = new Map<number, (response: RpcResponse) => void>();
  private last = 0;

  exchange(request: JSONRPCRequest, extra: MessageExtraInfo): Promise<RpcResponse> {
    const id = ++this.last;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.onmessage?.({ ...request, id }, extra);
    });
  }

  /** Responses find their request; a notification of a handler has no stream on this way and is dropped. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    const id = message.id as number;
    this.waiting.get(id)?.(message);
    this.waiting.delete(id);
  }

  async start(): Promise<void> {}
  async close(): Promise<void> {}
}
