import { truncateToBytes } from './truncate.ts';

/** The estimate: a token is four bytes of UTF-8, whatever the model and the language. */
export const BYTES_PER_TOKEN = 4;

/** How many tokens a text is, by estimate: the same on every machine and in every release. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The beginning of a text, at most `tokens` by estimate, cut between characters. */
export function truncateToTokens(text: string, tokens: number): string {
  return truncateToBytes(text, tokens * BYTES_PER_TOKEN);
}
