import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  type MessageExtraInfo,
} from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../context.ts';
import { carry } from './call-carrier.ts';

export type RpcResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/**
 * The short way past the SDK's HTTP transport: one server, built once, behind an in-process transport that carries
 * every request of this replica under a number of its own. The protocol stays the SDK's; what is saved is a server
 * and a transport per request. Only requests go in: a client's notification or response would name ids that are not
 * its own here.
 */
export class ShortWay {
  private readonly transport = new Multiplex();

  static async open(server: Server): Promise<ShortWay> {
    const way = new ShortWay();
    await server.connect(way.transport);
    return way;
  }

  async send(request: JSONRPCRequest, call: Call): Promise<RpcResponse> {
    const response = await this.transport.exchange(request, { authInfo: carry(call) });
    return { ...response, id: request.id };
  }
}

class Multiplex implements Transport {
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
