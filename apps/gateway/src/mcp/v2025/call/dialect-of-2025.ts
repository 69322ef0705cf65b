import { chooseDialect, type DialectChoice, DIALECT_META_KEY } from '../../../call/dialect-choice.ts';
import { admitCallerUnlessAdmitted, ANY_MCP_CALLER } from '../../../call/access.ts';
import type { Call } from '../../../call/call.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';

/**
 * How a request's client is shown requests: in the dialect that the request's `_meta` asks for, or in `native`. Errors: -32602 for a dialect that there
 * is not, or that the session's client lacks the capability for.
 */
export async function chooseDialectOf2025(
  meta: Readonly<Record<string, unknown>> = {},
  call: Call,
  native: 'tool' | 'sampling',
): Promise<DialectChoice> {
  const chosen = chooseDialect(meta[DIALECT_META_KEY], call.capabilities, ['tool', 'sampling'], [native]);
  if (!('message' in chosen)) return chosen;
  // A refused key is reported before anything that is wrong with the request.
  await admitCallerUnlessAdmitted(call, ANY_MCP_CALLER);
  throw new RpcError(-32602, chosen.message);
}
