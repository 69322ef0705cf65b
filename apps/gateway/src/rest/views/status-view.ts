import { z } from 'zod';
import { isoTimeSchema, named } from '../openapi/shared-schemas.ts';

/** What runs of the whole deployment. */
export const statusSchema = named(
  'Status',
  z.object({
    redis: z.object({
      version: z.string(),
      appendOnly: z
        .boolean()
        .describe('Whether it keeps a log of writes: without one a restart loses what it had'),
      usedMemoryBytes: z.int(),
      maxMemoryBytes: z.int().describe('0 for no limit'),
      refuses: z
        .string()
        .optional()
        .describe('What it refuses now, and why, in words; absent while it takes everything'),
    }),
    gateways: z
      .array(z.string())
      .readonly()
      .describe('Gateways that live, and other processes that are no worker, by name'),
    workers: z.array(z.string()).readonly().describe('Workers that live, by name'),
    queues: z
      .array(z.object({ queue: z.string(), state: z.string(), count: z.int() }))
      .readonly()
      .describe('BullMQ jobs by queue and state, all shards together'),
    pausedQueues: z.array(z.string()).readonly().describe('`s<shard>:<queue>` each'),
    resumeLagMs: z
      .int()
      .optional()
      .describe(
        'How long the oldest job that resumes tasks has waited for a worker; absent where none waits',
      ),
    pending: z
      .array(z.object({ age: z.enum(['under_1m', 'under_10m', 'under_1h', 'over_1h']), count: z.int() }))
      .readonly()
      .describe(
        'Interactions of all tenants that wait for an answer, by age; with thousands of tenants as of some seconds ago',
      ),
  }),
);

/** A job that BullMQ runs no more. */
export const failedJobSchema = named(
  'FailedJob',
  z.object({
    id: z.string(),
    queue: z.string(),
    reason: z.string(),
    failedAt: isoTimeSchema.optional(),
    attempts: z.int(),
    tenant: z.string().optional(),
  }),
);
