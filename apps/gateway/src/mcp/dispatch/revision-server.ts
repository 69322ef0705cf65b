import type {
  CallToolRequest,
  JSONRPCNotification,
  JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../call/call.ts';
import type { RpcResponse } from './in-flight-requests.ts';

/** The SDK's server of one generation of MCP: one, built once, for every request of this process. */
export interface RevisionServer {
  /** The server's response; `notify` is given what it sends before. */
  exchange(
    request: JSONRPCRequest,
    call: Call,
    notify?: (notification: JSONRPCNotification) => void,
  ): Promise<RpcResponse>;
  /**
   * The params of a `tools/call` that asks nothing of the protocol but the call itself; undefined for one that the server is to read. Errors: -32602
   * for what are none.
   */
  readToolCall(params: unknown): CallToolRequest['params'] | undefined;
  /** What a `tools/call` comes to, as the JSON that leaves. Throws what it answers as an error: an `RpcError`, always. */
  callTool(params: CallToolRequest['params'], call: Call): Promise<string>;
  /** HTTP statuses of JSON-RPC errors, where the revision has them. */
  readonly statuses: ReadonlyMap<number, number>;
}
