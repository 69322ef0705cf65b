import { z } from 'zod';
import type { AgentAnswer } from '../delegation/answer.ts';

const MAX_ROOTS = 1_000;

/** The directories that a client works in: the result of `roots/list` (MCP 2025-11-25, client/roots; the same in 2026-07-28). */
const rootsResultSchema = z.looseObject({
  roots: z.array(z.looseObject({ uri: z.string(), name: z.string().optional() })).max(MAX_ROOTS),
});

/** The answer that a result of `roots/list` is, or what is wrong with it. */
export function fromRootsResult(
  given: unknown,
): { ok: true; answer: AgentAnswer } | { ok: false; problem: z.ZodError } {
  const read = rootsResultSchema.safeParse(given);
  if (!read.success) return { ok: false, problem: read.error };
  const roots = read.data.roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }));
  return { ok: true, answer: { status: 'success', data: { object: { roots } } } };
}
