import { interactionStatusSchema } from '@baton/protocol';
import type { InteractionRecord, InteractionSummary } from '@baton/store';
import { z } from 'zod';
import { claimOf } from '../../delegation/describe-interaction-with-request.ts';
import { isoTime } from '../../delegation/iso-time.ts';
import { isoTimeSchema, named } from '../openapi/shared-schemas.ts';

/** What the answer to one request used. */
export const interactionUsageSchema = z
  .object({
    inputTokens: z.int().optional(),
    outputTokens: z.int().optional(),
    model: z.string().optional().describe('As the answer names it'),
    failed: z.literal(true).optional().describe('The answer says that the LLM call failed'),
    durationMs: z.int().describe('From the request to its answer'),
  })
  .describe('Of an answered LLM request: what it used, as the answer says');

/** Who claimed an interaction. */
export const claimerSchema = z.object({
  principal: z.string(),
  holder: z.string().optional().describe('The name that it gave itself'),
});

/** An interaction as lists show it: all but the request, which may be large. */
export const interactionSummarySchema = named(
  'Interaction',
  z.looseObject({
    interactionId: z.string(),
    taskId: z.string(),
    operation: z.string(),
    principal: z.string().describe('Who made the call that it belongs to'),
    kind: z.enum(['llm', 'elicitation']).describe("Who is asked: the agent's LLM, or a person"),
    status: interactionStatusSchema,
    summary: z.string(),
    createdAt: isoTimeSchema,
    expiresAt: isoTimeSchema.optional().describe('While it is pending: when it expires'),
    claimedUntil: isoTimeSchema.optional().describe('While it is claimed: when the claim ends'),
    claimedBy: claimerSchema.optional().describe('While it is claimed: who works on it'),
    endedAt: isoTimeSchema.optional(),
    answeredBy: z.string().optional(),
    usage: interactionUsageSchema.optional(),
    provider: z
      .literal(true)
      .optional()
      .describe('While a worker asks the LLM endpoint of its role: no agent can answer it'),
    role: z.string().optional(),
    serviceType: z.string().optional(),
    attempt: z.int().optional(),
    agentId: z.string().optional().describe("The tenant's agent that it is for"),
  }),
);

/** An interaction whole, with what it asks. */
export const interactionDetailSchema = named(
  'InteractionDetail',
  interactionSummarySchema.extend({
    llmRequestForAgent: z.looseObject({}).optional().describe('Of kind llm: the LLM call to make'),
    elicitation: z
      .looseObject({})
      .optional()
      .describe('Of kind elicitation: the message and the schema of the reply'),
  }),
);

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
    ...claimOf(record),
    ...(record.endedAt === undefined ? {} : { endedAt: isoTime(record.endedAt) }),
    ...(record.answeredBy === undefined ? {} : { answeredBy: record.answeredBy }),
    ...(record.usage === undefined ? {} : { usage: record.usage }),
    ...(record.provider === undefined ? {} : { provider: record.provider }),
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
  agentId,
}: {
  role: string;
  serviceType: string;
  attempt: number;
  agentId?: string;
}) {
  return { role, serviceType, attempt, ...(agentId === undefined ? {} : { agentId }) };
}
