import { BatonError, isRecord, toBatonError, type WireError } from '@baton/protocol';
import type { Call } from '../call/call.ts';
import { isMcpHttpError } from '../call/error-classification.ts';

/** An error as JSON-RPC sends it: the SDK passes `code`, `message` and `data` on as they are. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The response to the request `id`, as the JSON that leaves; null for what is no request. */
  toResponse(id: string | number | null): string {
    const { code, message, data } = this;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  }

  static of(error: BatonError): RpcError {
    return new RpcError(error.row.rpc, error.message, error.toWire());
  }
}

/** The one way in which an error of an MCP method leaves: as an `RpcError`. What is a bug of Baton is logged. */
export async function rethrowAsRpcError<T>(
  { services }: Pick<Call, 'services'>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof RpcError) throw thrown;
    const error = toBatonError(thrown);
    if (error !== thrown) services.log(thrown);
    throw RpcError.of(error);
  }
}

/** The error in the `data` of a JSON-RPC error, if HTTP answers it with a status of its own. */
export function httpErrorOf(data: unknown): BatonError | undefined {
  if (!isRecord(data) || typeof data['code'] !== 'string') return undefined;
  const error = BatonError.fromWire(data as unknown as WireError);
  return isMcpHttpError(error) ? error : undefined;
}
