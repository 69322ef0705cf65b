import {
  askableOf,
  type ClientDelegation,
  declares,
  DIALECT_META_KEY,
  SAMPLING,
  unknownDialect,
} from '../../../call/client-delegation.ts';
import { admitCallerUnlessAdmitted, ANY_MCP_CALLER } from '../../../call/access.ts';
import type { Call } from '../../../call/call.ts';
import { RpcError } from '../../../json-rpc/rpc-error.ts';

const DIALECTS = ['tool', 'sampling'] as const;

/**
 * How a request's client is shown requests for an LLM: in the dialect that the request's `_meta` asks for, or in `native`. Errors: -32602 for a dialect that there
 * is not, or that the session's client lacks the capability for.
 */
export async function delegationOf2025(
  meta: Readonly<Record<string, unknown>> = {},
  call: Call,
  native: 'tool' | 'sampling',
): Promise<ClientDelegation> {
  const forced = meta[DIALECT_META_KEY];
  const askable = askableOf(call.capabilities);
  if (forced === undefined) return { dialect: askable.takesSampling ? native : 'tool', ...askable };
  const dialect = DIALECTS.find((name) => name === forced);
  const problem =
    dialect === undefined
      ? unknownDialect(forced, DIALECTS)
      : dialect === 'sampling' && !declares(call.capabilities, SAMPLING)
        ? `The dialect "sampling" needs a session whose client declared the capability sampling in initialize.`
        : undefined;
  if (dialect !== undefined && problem === undefined) return { dialect, ...askable };
  // A refused key is reported before anything that is wrong with the request.
  await admitCallerUnlessAdmitted(call, ANY_MCP_CALLER);
  throw new RpcError(-32602, problem ?? '');
}
