import { hash } from 'node:crypto';
import { BatonError, canonicalJson } from '@baton/protocol';
import type { Idempotency } from '@baton/store';
import { z } from 'zod';
import type { RequestMeta } from '../call/call.ts';

const idempotencyKey = z.string().min(1).max(200).optional();

/** `replayed` of a result that is kept under an idempotency key. */
export const replayedSchema = z
  .boolean()
  .optional()
  .describe('True where an earlier call with the same idempotency key did this');

/**
 * The idempotency key of a call; undefined for none. It belongs to the principal and the tool; the same key with other
 * arguments is a conflict. Errors: `invalid_arguments`.
 */
export async function idempotencyOf(
  tool: string,
  input: unknown,
  meta: RequestMeta,
  principal: () => Promise<string>,
): Promise<Idempotency | undefined> {
  const given = idempotencyKey.safeParse(meta['baton/idempotencyKey']);
  if (!given.success) {
    throw new BatonError(
      'invalid_arguments',
      '_meta["baton/idempotencyKey"]: must be a string of 1 to 200 characters',
      { field: '_meta.baton/idempotencyKey' },
    );
  }
  if (given.data === undefined) return undefined;
  return idempotencyFor(await principal(), tool, given.data, input);
}

/** The same for a key that is known to be one. */
export function idempotencyFor(principal: string, tool: string, key: string, input: unknown): Idempotency {
  return {
    key: digest(canonicalJson([principal, tool, key])),
    arguments: digest(canonicalJson(input as never)),
  };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 27);
}
