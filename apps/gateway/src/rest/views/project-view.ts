import { z } from 'zod';
import { isoTimeSchema, named } from '../openapi/shared-schemas.ts';

/** A project as lists show it. */
export const projectSummarySchema = named(
  'Project',
  z.object({
    projectRoot: z.string(),
    bytes: z.int().describe('What it takes of the limit storedBytes'),
    lastUsedAt: isoTimeSchema.optional().describe('When it was last read or changed, to an hour'),
  }),
);
