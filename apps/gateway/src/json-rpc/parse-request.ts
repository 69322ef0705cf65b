import { describeZodError } from '@baton/engine';
import { toBatonError } from '@baton/protocol';
import { z } from 'zod';
import type { Call } from '../call/call.ts';
import { RpcError } from './rpc-error.ts';

/** A request before its params were looked at: the SDK would answer a wrong one with -32603, as if it were its fault. */
export function rawRequest<M extends string>(method: M) {
  return z.looseObject({ method: z.literal(method), params: z.unknown().optional() });
}

/** The request as its schema has it. Errors: -32602 naming the field. */
export function parseRequest<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false; error: z.ZodError } },
  request: unknown,
): T {
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  throw new RpcError(-32602, `Invalid params: ${describeZodError(parsed.error)}`);
}

/** Leaves word of a refusal for the edge, and gives the SDK an error that it passes on as it is. */
export async function toRpcError<T>(call: Call, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof RpcError) throw thrown;
    call.refused = toBatonError(thrown);
    throw RpcError.of(call.refused);
  }
}
