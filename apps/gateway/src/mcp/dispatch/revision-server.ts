import type { JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../call/call.ts';
import type { RpcResponse } from './in-flight-requests.ts';

/** What answers a request without the SDK's server: its result as the JSON that leaves; undefined where its stream ends before there is one. */
export type DirectAnswer = (call: Call) => Promise<string | undefined>;

/** The SDK's server of one generation of MCP: one, built once, for every request of this process. */
export interface RevisionServer {
  /** The server's response; `notify` is given what it sends before. */
  exchange(
    request: JSONRPCRequest,
    call: Call,
    notify?: (notification: JSONRPCNotification) => void,
  ): Promise<RpcResponse>;
  /**
   * What answers a request of which the SDK's server need not see anything; undefined for one that it is to read. The answer throws an `RpcError`,
   * and so does this for params that are none (-32602).
   */
  directAnswer(request: JSONRPCRequest): DirectAnswer | undefined;
  /** HTTP statuses of JSON-RPC errors, where the revision has them. */
  readonly statuses: ReadonlyMap<number, number>;
}
