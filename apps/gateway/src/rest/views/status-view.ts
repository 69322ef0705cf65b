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
