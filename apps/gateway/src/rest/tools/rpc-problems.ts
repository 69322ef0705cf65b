import { BatonError, isErrorCode, isRecord, type WireError } from '@baton/protocol';
import { RpcError } from '../../json-rpc/rpc-error.ts';

/** Runs a method of MCP for REST. Errors: those of the method, a protocol error of it as a problem. */
export async function withProblems<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    throw thrown instanceof RpcError ? asBatonError(thrown) : thrown;
  }
}

/** MCP 2025-11-25, server/resources: resource not found. */
const RESOURCE_NOT_FOUND = -32002;

function asBatonError({ code, message, data }: RpcError): BatonError {
  const details = isRecord(data) ? data : {};
  const known =
    typeof details['code'] === 'string' && isErrorCode(details['code'])
      ? BatonError.fromWire(details as unknown as WireError)
      : undefined;
  if (code === RESOURCE_NOT_FOUND && known?.row.http !== 404)
    return new BatonError('not_found', message, { uri: details['uri'] });
  return known ?? new BatonError('invalid_arguments', message, details);
}
