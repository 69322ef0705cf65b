import { isRecord, JsonTextError, parseJson } from '@baton/protocol';

/**
 * A whole reply of OpenAI's chat completions, with what servers of that API give in another form as it has it: arguments of a function call
 * as text, and counts of usage as numbers or not at all. Any other text is given back.
 */
export function normalizeChatReply(text: string): string {
  // Most replies are as they should be: they are not written again.
  const reply = text.includes('"choices"') ? readJson(text) : undefined;
  if (!isRecord(reply) || !Array.isArray(reply['choices'])) return text;
  const calls = reply['choices']
    .flatMap(functionsOf)
    .filter(({ arguments: args }) => typeof args !== 'string');
  const hasOddUsage = reply['usage'] !== undefined && !isCounts(reply['usage']);
  if (calls.length === 0 && !hasOddUsage) return text;
  for (const call of calls) call['arguments'] = JSON.stringify(call['arguments'] ?? {});
  if (hasOddUsage) reply['usage'] = countsIn(reply['usage']);
  return JSON.stringify(reply);
}

function functionsOf(choice: unknown): Record<string, unknown>[] {
  const message = isRecord(choice) && isRecord(choice['message']) ? choice['message'] : {};
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isRecord) : [];
  return calls.map((call) => call['function']).filter(isRecord);
}

/** Whether each value is a number or absent, or an object of such. */
function isCounts(usage: unknown): boolean {
  return (
    isRecord(usage) &&
    Object.values(usage).every((value) => typeof value === 'number' || value === null || isCounts(value))
  );
}

function countsIn(usage: unknown): object | undefined {
  if (!isRecord(usage)) return undefined;
  const counts = Object.entries(usage).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : countsIn(value),
  ]);
  return Object.fromEntries(counts.filter(([, value]) => value !== undefined));
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}
