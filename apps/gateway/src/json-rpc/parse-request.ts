import { describeZodError } from '@baton/engine';
import { z } from 'zod';
import { RpcError } from './rpc-error.ts';

/** A request whose params were not checked yet: the SDK would answer wrong ones with -32603, as if it were its fault. */
export function rawRequestSchema<M extends string>(method: M) {
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

/** Baton's list of templates fits one page: there is no cursor that it could have given out. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined) throw new RpcError(-32602, `Unknown cursor: ${cursor.slice(0, 100)}`);
}
