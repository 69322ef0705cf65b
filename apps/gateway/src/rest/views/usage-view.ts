import { usageSumsSchema } from '@baton/protocol';
import { z } from 'zod';

/** What a report's rows are summed up by. */
export const usageGroupingSchema = z.enum(['day', 'agent', 'operation', 'model']);
export type UsageGrouping = z.infer<typeof usageGroupingSchema>;

const usageReportRowSchema = usageSumsSchema.extend({
  key: z
    .string()
    .describe(
      'The day, agent, operation or model; empty for calls of no agent, or of models that were not named',
    ),
  cost: z.number().optional().describe('Of the calls whose model has a price; absent without prices'),
  unpricedCalls: z.number().optional().describe('Calls whose model has none; absent without prices'),
});
export const usageReportSchema = z.object({
  from: z.string(),
  to: z.string(),
  by: usageGroupingSchema,
  currency: z.string().optional().describe('Of all costs; absent without prices'),
  rows: z
    .array(usageReportRowSchema)
    .describe('Days in order, all else by calls; at most 1,000, the last of which has the rest together'),
  total: usageReportRowSchema,
});
export type UsageReportRow = z.infer<typeof usageReportRowSchema>;
