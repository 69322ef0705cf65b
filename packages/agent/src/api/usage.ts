import { isRecord, readAnswerUsage } from '@baton/protocol';

/** What LLM calls cost, in tokens. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** The usage that an answer's data, or a reply, reports as Baton counts it; undefined where it reports none. */
export function usageOf(data: unknown): Usage | undefined {
  if (!isRecord(data)) return undefined;
  const { inputTokens, outputTokens } = readAnswerUsage({ status: 'success', data });
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

/** The usage of two calls. A count that neither of them has is absent. */
export function addUsage(before: Usage | undefined, now: Usage | undefined): Usage | undefined {
  if (before === undefined || now === undefined) return before ?? now;
  const sum: { -readonly [Name in keyof Usage]: Usage[Name] } = {};
  for (const name of ['inputTokens', 'outputTokens'] as const) {
    if (before[name] !== undefined || now[name] !== undefined)
      sum[name] = (before[name] ?? 0) + (now[name] ?? 0);
  }
  return sum;
}

/** The answer's data with the usage of earlier calls added: they were paid for too. */
export function addEarlierUsage<T>(earlier: Usage | undefined, data: T): T {
  if (earlier === undefined || typeof data !== 'object' || data === null) return data;
  return Object.assign({}, data, { usage: addUsage(earlier, usageOf(data)) });
}
