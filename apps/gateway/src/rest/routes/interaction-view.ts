import { interactionStatusSchema } from '@baton/protocol';
import type { InteractionRecord, InteractionSummary } from '@baton/store';
import { z } from 'zod';
import { isoTime } from '../../delegation/iso-time.ts';
import { isoTimeSchema } from '../openapi/shared-schemas.ts';

/** An interaction as lists show it: all but the request, which may be large. */
export const interactionSummarySchema = z.looseObject({
  interactionId: z.string(),
  taskId: z.string(),
  operation: z.string(),
  principal: z.string().describe('Who made the call that it belongs to'),
  kind: z.enum(['llm', 'elicitation']).describe("Who is asked: the agent's LLM, or a person"),
  status: interactionStatusSchema,
  summary: z.string(),
  createdAt: isoTimeSchema,
  expiresAt: isoTimeSchema.optional().describe('While it is pending: when it expires'),
  endedAt: isoTimeSchema.optional(),
  answeredBy: z.string().optional(),
  role: z.string().optional(),
  serviceType: z.string().optional(),
  attempt: z.int().optional(),
});

/** An interaction whole, with what it asks. */
export const interactionDetailSchema = interactionSummarySchema.extend({
  llmRequestForAgent: z.looseObject({}).optional().describe('Of kind llm: the LLM call to make'),
  elicitation: z
    .looseObject({})
    .optional()
    .describe('Of kind elicitation: the message and the schema of the reply'),
});

export function toInteractionSummary(record: InteractionSummary): z.infer<typeof interactionSummarySchema> {
  const { interactionId, taskId, operation, principal, status, request } = record;
  return {
    interactionId,
    taskId,
    operation,
    principal,
    kind: request.kind,
    status,
    summary: request.kind === 'llm' ? request.call.summary : request.message,
    createdAt: isoTime(record.createdAt),
    ...(record.expiresAt === undefined ? {} : { expiresAt: isoTime(record.expiresAt) }),
    ...(record.endedAt === undefined ? {} : { endedAt: isoTime(record.endedAt) }),
    ...(record.answeredBy === undefined ? {} : { answeredBy: record.answeredBy }),
    ...(request.kind === 'llm' ? llmRequestLabels(request.call) : {}),
  };
}

export function toInteractionDetail(record: InteractionRecord): z.infer<typeof interactionDetailSchema> {
  const { request } = record;
  if (request.kind === 'llm')
    return { ...toInteractionSummary(record), llmRequestForAgent: { ...request.call.request } };
  const { message, schema } = request;
  return { ...toInteractionSummary(record), elicitation: { message, schema } };
}

function llmRequestLabels({
  role,
  serviceType,
  attempt,
}: {
  role: string;
  serviceType: string;
  attempt: number;
}) {
  return { role, serviceType, attempt };
}
