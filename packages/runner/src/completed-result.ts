import type { JsonObject } from '@baton/protocol';

/** The `structuredContent` of a completed operation. */
export function completedResult(operation: string, taskId: string, result: JsonObject): JsonObject {
  return { status: 'completed', operation, taskId, ...result };
}
