import { z } from 'zod';

/** What the post of an answer or of a chunk is confirmed with, over MCP and REST. */
export const answerConfirmationSchema = z.looseObject({
  status: z.literal('agent_response_processed_by_taskmaster'),
  interactionId: z.string(),
  taskId: z.string(),
  /** True when the same answer was given before. */
  replayed: z.boolean().optional(),
  /** What of the answer does not count, though it was accepted: of its usage. */
  warning: z.string().optional(),
  /** Where the task stood when the wait ended. */
  outcome: z.looseObject({ status: z.string() }),
});
export type AnswerConfirmation = z.infer<typeof answerConfirmationSchema>;
