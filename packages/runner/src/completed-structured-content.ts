import type { JsonObject } from '@baton/protocol';

/** The `structuredContent` of a completed operation. */
export function completedStructuredContent(
  operation: string,
  taskId: string,
  result: JsonObject,
): JsonObject {
  return { status: 'completed', operation, taskId, ...result };
}
