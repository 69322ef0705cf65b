import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  type MessageExtraInfo,
} from '@modelcontextprotocol/sdk/types.js';

export type RpcResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

interface Exchange {
  readonly resolve: (response: RpcResponse) => void;
  readonly notify: (notification: JSONRPCNotification) => void;
}

/** Carries the requests of many clients to one server of the SDK, each under a number of its own. */
export class InProcessTransport implements Transport {
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  private readonly waiting = new Map<number, Exchange>();
  private lastId = 0;

  /** `notify` is given the notifications that the request's handler sends before its response; without one they are dropped. */
  exchange(
    request: JSONRPCRequest,
    extra: MessageExtraInfo,
    notify: (notification: JSONRPCNotification) => void = () => {},
  ): Promise<RpcResponse> {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.waiting.set(id, { resolve, notify });
      this.onmessage?.({ ...request, id }, extra);
    });
  }

  /** Responses find their request, and so does what a handler notifies of; what is of no request is dropped. */
  async send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isJSONRPCNotification(message)) return this.waiting.get(relatedRequestId as number)?.notify(message);
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    const id = message.id as number;
    this.waiting.get(id)?.resolve(message);
    this.waiting.delete(id);
  }

  async start(): Promise<void> {}
  async close(): Promise<void> {}
}
