import { isRecord } from '@baton/protocol';
import type { Usage } from '../api/events.ts';

/** The usage that an answer's data reports, if it does. */
export function usageOf(data: unknown): Usage | undefined {
  const usage = isRecord(data) ? data['usage'] : undefined;
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  return {
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
  };
}

/** The answer's data with the usage of an earlier try added: it was paid for too. */
export function addEarlierUsage<T extends object | string>(earlier: unknown, data: T): T {
  const [before, now] = [usageOf(earlier), usageOf(data)];
  if (before === undefined || typeof data === 'string') return data;
  const sum: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...now };
  for (const name of ['inputTokens', 'outputTokens'] as const) {
    if (before[name] !== undefined) sum[name] = before[name] + (now?.[name] ?? 0);
  }
  return Object.assign({}, data, { usage: sum });
}
