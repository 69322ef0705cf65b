import { z } from 'zod';
import type { WireError } from './errors.ts';
import type { JsonObject } from './json/json.ts';

/** MCP's task statuses (2025-11-25, basic/utilities/tasks). */
export const taskStatusSchema = z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']);
export type TaskStatus = z.infer<typeof taskStatusSchema>;

export const interactionStatusSchema = z.enum(['pending', 'answered', 'expired', 'cancelled']);
export type InteractionStatus = z.infer<typeof interactionStatusSchema>;

/** The operation of the tasks of workflows. */
export const WORKFLOW_OPERATION = 'workflow';

/** The end of a task: each status has only its own data. */
export type TaskEnd =
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'failed'; readonly error: WireError }
  | { readonly status: 'cancelled'; readonly error: WireError };

export function isEnded(status: TaskStatus): status is TaskEnd['status'] {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
