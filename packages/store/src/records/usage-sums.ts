import type { UsageSums } from '@baton/protocol';

/** Reads sums as scripts write them, `<calls>;<tokens in>;<tokens out>;<ms>`; undefined where there are none. */
export function parseUsageSums(text: string | null | undefined): UsageSums | undefined {
  if (!text) return undefined;
  const [calls = 0, inputTokens = 0, outputTokens = 0, durationMs = 0] = text.split(';').map(Number);
  return { calls, inputTokens, outputTokens, durationMs };
}
