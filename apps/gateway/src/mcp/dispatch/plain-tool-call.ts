import { isRecord } from '@baton/protocol';
import type { CallToolRequest } from '@modelcontextprotocol/sdk/types.js';

/** Whether params of `tools/call` are as its schema has them: a look at two fields, where the schema would read the whole. */
export function isPlainToolCall(params: unknown): params is CallToolRequest['params'] {
  return (
    isRecord(params) &&
    typeof params['name'] === 'string' &&
    (params['arguments'] === undefined || isRecord(params['arguments']))
  );
}
