import { describeZodError } from '@baton/engine';
import { isRecord } from '@baton/protocol';
import {
  InitializeRequestSchema,
  type JSONRPCErrorResponse,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

/**
 * What to say to what is JSON and no message of JSON-RPC, to an `initialize` without what it needs, and to a batch that is empty or has
 * an `initialize` in it (MCP 2025-03-26, basic/lifecycle: it must not be part of one). Undefined for what may be handled.
 */
export function invalidRequestResponse(body: unknown): JSONRPCErrorResponse | undefined {
  if (Array.isArray(body)) {
    if (body.length === 0) return refusal(undefined, INVALID_REQUEST, 'This batch has no message.');
    if (body.some(isInitialize))
      return refusal(
        undefined,
        INVALID_REQUEST,
        'initialize must not be part of a batch. Send it by itself.',
      );
    return undefined;
  }
  return invalidMessageResponse(body);
}

/** The messages of a batch, and what to say to each of them that is none (JSON-RPC 2.0, section 6: one error each). */
export function splitBatch(batch: readonly unknown[]): {
  readonly messages: readonly unknown[];
  readonly refusals: readonly JSONRPCErrorResponse[];
} {
  const refusals = batch.map(invalidMessageResponse);
  return {
    messages: batch.filter((_, at) => refusals[at] === undefined),
    refusals: refusals.filter((refusal) => refusal !== undefined),
  };
}

const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

function invalidMessageResponse(body: unknown): JSONRPCErrorResponse | undefined {
  const message = JSONRPCMessageSchema.safeParse(body);
  const id = idOf(body);
  if (!message.success) {
    const aRequest =
      isRecord(body) && body['jsonrpc'] === '2.0' && typeof body['method'] === 'string' && id !== undefined;
    const unknown = aRequest ? Object.keys(body).find((name) => !MEMBERS.has(name)) : undefined;
    if (unknown !== undefined)
      return refusal(
        id,
        INVALID_REQUEST,
        `A request of JSON-RPC 2.0 has no member '${unknown.slice(0, 100)}'`,
      );
    const code = aRequest ? INVALID_PARAMS : INVALID_REQUEST;
    return refusal(
      id,
      code,
      aRequest
        ? 'Invalid params: they must be an object, and its _meta too'
        : 'This is no request of JSON-RPC 2.0',
    );
  }
  if (!isInitialize(body)) return undefined;
  const initialize = InitializeRequestSchema.safeParse(body);
  return initialize.success
    ? undefined
    : refusal(id, INVALID_PARAMS, `Invalid params: ${describeZodError(initialize.error)}`);
}

export function isInitialize(body: unknown): boolean {
  return isRecord(body) && body['method'] === 'initialize';
}

function refusal(id: RequestId | undefined, code: number, message: string): JSONRPCErrorResponse {
  // JSON-RPC 2.0, section 5: the id is null where it could not be told, which the SDK's type does not know.
  return { jsonrpc: '2.0', id: (id ?? null) as RequestId, error: { code, message } };
}

function idOf(body: unknown): RequestId | undefined {
  const id = isRecord(body) ? body['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : undefined;
}
