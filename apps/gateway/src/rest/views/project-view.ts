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

export const importedProjectSchema = z.looseObject({
  projectRoot: z.string(),
  currentTag: z.string(),
  taskCounts: z.record(z.string(), z.int()).describe('How many tasks each tag has'),
  repairs: z
    .array(z.object({ place: z.string(), problem: z.string() }))
    .describe('What was changed to take the file: where, what was wrong, and what it is now'),
});
