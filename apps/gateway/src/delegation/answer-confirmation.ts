import { z } from 'zod';

/** What the post of an answer or of a chunk is confirmed with, over MCP and REST. */
export const answerConfirmationSchema = z.looseObject({
  status: z.literal('agent_response_processed_by_taskmaster'),
  interactionId: z.string(),
  taskId: z.string(),
  /** True when the same answer was given before. */
  replayed: z.boolean().optional(),
  /** Where the task stood when the wait ended. */
  outcome: z.looseObject({ status: z.string() }),
});
