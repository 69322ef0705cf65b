import type { CompleteResult } from '@modelcontextprotocol/sdk/types.js';
import type { CompletionValues } from '../resources/resource-kind.ts';

/** MCP, server/utilities/completion: at most so many values. */
const MAX_VALUES = 100;

/** Of the values those that begin with what was typed so far, whatever its case. */
export function fittingValues({ values, partial = false }: CompletionValues, typed: string): CompleteResult {
  const start = typed.toLowerCase();
  const fitting = values.filter((value) => value.toLowerCase().startsWith(start));
  return {
    completion: {
      values: fitting.slice(0, MAX_VALUES),
      ...(partial ? {} : { total: fitting.length }),
      hasMore: partial || fitting.length > MAX_VALUES,
    },
  };
}
