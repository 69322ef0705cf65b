import { limitsSchema, tenantIdSchema } from '@baton/protocol';
import { z } from 'zod';
import { isoTimeSchema, named } from '../openapi/shared-schemas.ts';

/** A tenant as operators see it. */
export const tenantSchema = named(
  'Tenant',
  z
    .object({
      id: tenantIdSchema,
      name: z.string(),
      suspended: z.boolean().describe('True: its keys are refused, its tasks stay as they are'),
      createdAt: isoTimeSchema,
      limits: limitsSchema,
      openTasks: z.int().describe('Tasks that have not ended'),
      usage: z
        .object({
          storedBytes: z.int().describe('Of everything, as they are counted'),
          endedTaskBytes: z.int().describe('Those of them that are of ended tasks'),
          projects: z.int(),
          openTasks: z.int(),
          retainedTasks: z.int().describe('Ended tasks that are readable still'),
          pendingInteractions: z.int(),
        })
        .describe('What it has of what its limits bound'),
    })
    .readonly(),
);
