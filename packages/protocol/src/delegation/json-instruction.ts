import type { LlmRequest } from './delegation.ts';

/**
 * What a model is told so that it answers with JSON, as an instruction: LLM endpoints differ in the schemas that they enforce, and every
 * model reads text.
 */
export function jsonInstruction({ schema }: Pick<LlmRequest, 'schema'>): string {
  if (schema === undefined) return 'Answer with one JSON object and nothing around it.';
  return `Answer with one JSON value that fits this JSON Schema, and nothing around it:\n${JSON.stringify(schema)}`;
}
