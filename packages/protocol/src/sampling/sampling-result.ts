import { z } from 'zod';
import type { AgentAnswer } from '../delegation/answer.ts';

const MAX_BLOCKS = 1_000;
const block = z.looseObject({ type: z.string().min(1).max(100) });

/** What a client's model answered: the result of `sampling/createMessage` (MCP 2025-11-25, client/sampling; the same in 2026-07-28). */
const samplingResultSchema = z.looseObject({
  role: z.enum(['assistant', 'user']),
  content: z.union([block, z.array(block).min(1).max(MAX_BLOCKS)]),
  model: z.string().max(1_000),
});

/**
 * The answer that a result of `sampling/createMessage` is, or what is wrong with it. Words are given as such: in an object they might
 * be taken for the data that was asked for.
 */
export function fromSamplingResult(
  given: unknown,
): { ok: true; answer: AgentAnswer } | { ok: false; problem: z.ZodError } {
  const read = samplingResultSchema.safeParse(given);
  if (!read.success) return { ok: false, problem: read.error };
  const { content, model } = read.data;
  const blocks = [content].flat();
  const texts = blocks.flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  const data = texts.length === blocks.length ? texts.join('\n') : { content: blocks };
  return { ok: true, answer: { status: 'success', data, model } };
}
