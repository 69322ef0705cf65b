import { countTokens as countO200k } from 'gpt-tokenizer/encoding/o200k_base';

/** Tokens of a text, or of a value as the JSON that leaves, in OpenAI's encoding o200k; marks of a model's own are text like any other. */
export function countTokens(value: unknown): number {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return countO200k(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
}
