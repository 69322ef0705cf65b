import type { JsonObject } from '@baton/protocol';

/** A finished operation's `structuredContent`. */
export function finishedResult(operation: string, taskId: string, result: JsonObject): JsonObject {
  return { status: 'completed', operation, taskId, ...result };
}
