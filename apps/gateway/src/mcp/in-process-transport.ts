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

type RpcResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/** Carries the requests of many clients to one server of the SDK, each under a number of its own. */
export class InProcessTransport implements Transport {
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private readonly waiting = new Map<number, (response: RpcResponse) => void>();
  private lastId = 0;

  exchange(request: JSONRPCRequest, extra: MessageExtraInfo): Promise<RpcResponse> {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.onmessage?.({ ...request, id }, extra);
    });
  }

  /** Responses find their request; a notification of a handler has no stream to go out on and is dropped. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    const id = message.id as number;
    this.waiting.get(id)?.(message);
    this.waiting.delete(id);
  }

  async start(): Promise<void> {}
  async close(): Promise<void> {}
}
