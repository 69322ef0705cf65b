import { interactionStatus } from '@baton/protocol';
import type { InteractionRecord, InteractionSummary } from '@baton/store';
import { z } from 'zod';
import { iso } from '../delegation/present.ts';
import { time } from './respond.ts';

/** An interaction as lists show it: all but the request, which may be large. */
export const interactionSummary = z.looseObject({
  interactionId: z.string(),
  taskId: z.string(),
  operation: z.string(),
  principal: z.string().describe('Who made the call that it belongs to'),
  kind: z.enum(['llm', 'elicitation']).describe("Who is asked: the agent's LLM, or a person"),
  status: interactionStatus,
  summary: z.string(),
  createdAt: time,
  expiresAt: time.optional().describe('While it is pending: when it expires'),
  endedAt: time.optional(),
  answeredBy: z.string().optional(),
  role: z.string().optional(),
  serviceType: z.string().optional(),
  attempt: z.int().optional(),
});

/** An interaction whole, with what it asks. */
export const wholeInteraction = interactionSummary.extend({
  llmRequestForAgent: z.looseObject({}).optional().describe('Of kind llm: the LLM call to make'),
  elicitation: z
    .looseObject({})
    .optional()
    .describe('Of kind elicitation: the message and the schema of the reply'),
});

export function summarize(record: InteractionSummary): z.infer<typeof interactionSummary> {
  const { interactionId, taskId, operation, principal, status, request } = record;
  return {
    interactionId,
    taskId,
    operation,
    principal,
    kind: request.kind,
    status,
    summary: request.kind === 'llm' ? request.call.summary : request.message,
    createdAt: iso(record.createdAt),
    ...(record.expiresAt === undefined ? {} : { expiresAt: iso(record.expiresAt) }),
    ...(record.endedAt === undefined ? {} : { endedAt: iso(record.endedAt) }),
    ...(record.answeredBy === undefined ? {} : { answeredBy: record.answeredBy }),
    ...(request.kind === 'llm' ? labels(request.call) : {}),
  };
}

export function showWhole(record: InteractionRecord): z.infer<typeof wholeInteraction> {
  const { request } = record;
  if (request.kind === 'llm')
    return { ...summarize(record), llmRequestForAgent: { ...request.call.request } };
  const { message, schema } = request;
  return { ...summarize(record), elicitation: { message, schema } };
}

function labels({ role, serviceType, attempt }: { role: string; serviceType: string; attempt: number }) {
  return { role, serviceType, attempt };
}
