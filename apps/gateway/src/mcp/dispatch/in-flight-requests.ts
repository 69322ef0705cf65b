import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  type JSONRPCErrorResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
} from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../call/call.ts';
import { wrapCallInAuthInfo } from '../../json-rpc/call-in-auth-info.ts';

export type RpcResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

interface InFlightRequest {
  readonly resolve: (response: RpcResponse) => void;
  readonly notify: (notification: JSONRPCNotification) => void;
}

/** The requests of many clients that one server of the SDK has before it, each under a number of its own. */
export class InFlightRequests {
  private readonly requests = new Map<number, InFlightRequest>();
  private lastId = 0;
  private readonly deliver: (request: JSONRPCRequest, extra: { authInfo: AuthInfo }) => void;

  /** `deliver` gives a request to the server. */
  constructor(deliver: InFlightRequests['deliver']) {
    this.deliver = deliver;
  }

  /** Gives a call's request to the server. `notify` is given the notifications that its handler sends before its response; without one they are dropped. */
  send(
    request: JSONRPCRequest,
    call: Call,
    notify: (notification: JSONRPCNotification) => void = () => {},
  ): Promise<RpcResponse> {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.requests.set(id, { resolve, notify });
      this.deliver({ ...request, id }, { authInfo: wrapCallInAuthInfo(call) });
    });
  }

  /** What the server says: responses find their request, and so does what a handler notifies of; what is of no request is dropped. */
  receive(message: unknown, relatedRequestId: unknown): void {
    if (isJSONRPCNotification(message)) {
      this.requests.get(relatedRequestId as number)?.notify(message);
      return;
    }
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    const id = message.id as number;
    this.requests.get(id)?.resolve(message);
    this.requests.delete(id);
  }
}
