import { z } from 'zod';
import type { AgentAnswer } from '../delegation/answer.ts';

/** What a person did with a question: the result of `elicitation/create` (MCP 2025-11-25, client/elicitation; the same in 2026-07-28). */
const elicitResultSchema = z.discriminatedUnion('action', [
  z.looseObject({ action: z.literal('accept'), content: z.record(z.string(), z.unknown()).default({}) }),
  z.looseObject({ action: z.enum(['decline', 'cancel']) }),
]);

/** The answer that a result of `elicitation/create` is, or what is wrong with it. A person who says no gives an error of that type. */
export function fromElicitResult(
  given: unknown,
): { ok: true; answer: AgentAnswer } | { ok: false; problem: z.ZodError } {
  const read = elicitResultSchema.safeParse(given);
  if (!read.success) return { ok: false, problem: read.error };
  if (read.data.action === 'accept')
    return { ok: true, answer: { status: 'success', data: { object: read.data.content } } };
  const { action } = read.data;
  const message = action === 'decline' ? 'The person declined.' : 'The person gave no answer.';
  return { ok: true, answer: { status: 'error', errorDetails: { type: action, message } } };
}
