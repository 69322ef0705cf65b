import type { AnswerUsage, UsageSums } from '@baton/protocol';

/** Reads sums as scripts write them, `<calls>;<tokens in>;<tokens out>;<ms>;<failed calls>`; undefined where there are none. */
export function parseUsageSums(text: string | null | undefined): UsageSums | undefined {
  if (!text) return undefined;
  const [calls = 0, inputTokens = 0, outputTokens = 0, durationMs = 0, failedCalls = 0] = text
    .split(';')
    .map(Number);
  return { calls, failedCalls, inputTokens, outputTokens, durationMs };
}

/** What an answer says that its call used, as scripts take it: `<tokens in>;<tokens out>;<1 if the call failed>;<model>`. */
export function formatAnswerUsage(usage: Partial<AnswerUsage> = {}): string {
  const { inputTokens = '', outputTokens = '', failed = false, model = '' } = usage;
  return `${inputTokens};${outputTokens};${failed ? 1 : ''};${model}`;
}
