import { interactionStatusSchema, requestRoleSchema, serviceTypeSchema } from '@baton/protocol';
import type { InteractionRecord, InteractionSummary } from '@baton/store';
import { z } from 'zod';
import { claimAndEndOf } from '../../delegation/describe-interaction-with-request.ts';
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

/** The program that made a call. */
export const clientNameSchema = z
  .string()
  .optional()
  .describe(
    'The program that made the call, by the name that it gives itself in MCP; absent where it gave none',
  );

/** An interaction as lists show it: all but the request, which may be large. */
export const interactionSummarySchema = named(
  'Interaction',
  z.looseObject({
    interactionId: z.string(),
    taskId: z.string(),
    operation: z.string(),
    principal: z.string().describe('Who made the call that it belongs to'),
    client: clientNameSchema,
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
    role: requestRoleSchema.describe("Whose answer it waits for: a model's, by its role, or a person's"),
    serviceType: serviceTypeSchema,
    attempt: z.int(),
    agentId: z.string().optional().describe("The tenant's agent that it is for"),
  }),
);

/** An interaction whole, with what it asks. */
export const interactionDetailSchema = named(
  'InteractionDetail',
  interactionSummarySchema.extend({
    llmRequestForAgent: z
      .looseObject({})
      .describe(
        'The LLM call to make; of the role person its last message is the question, and its schema that of the reply',
      ),
  }),
);

export function toInteractionSummary(record: InteractionSummary): z.infer<typeof interactionSummarySchema> {
  const { interactionId, taskId, operation, principal, client, status, request } = record;
  const { summary, role, serviceType, attempt, agentId } = request.call;
  return {
    interactionId,
    taskId,
    operation,
    principal,
    ...(client !== undefined && { client }),
    status,
    summary,
    createdAt: isoTime(record.createdAt),
    ...(record.expiresAt === undefined ? {} : { expiresAt: isoTime(record.expiresAt) }),
    ...claimAndEndOf(record),
    ...(record.usage === undefined ? {} : { usage: record.usage }),
    ...(record.provider === undefined ? {} : { provider: record.provider }),
    role,
    serviceType,
    attempt,
    ...(agentId === undefined ? {} : { agentId }),
  };
}

export function toInteractionDetail(record: InteractionRecord): z.infer<typeof interactionDetailSchema> {
  return { ...toInteractionSummary(record), llmRequestForAgent: { ...record.request.call.request } };
}
