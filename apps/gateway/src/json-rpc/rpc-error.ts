import type { BatonError } from '@baton/protocol';

/** An error as JSON-RPC sends it: the SDK passes `code`, `message` and `data` on as they are. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The response to the request `id`, as the JSON that leaves. */
  toResponse(id: string | number): string {
    const { code, message, data } = this;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  }

  static of(error: BatonError): RpcError {
    return new RpcError(error.row.rpc, error.message, error.toWire());
  }
}
