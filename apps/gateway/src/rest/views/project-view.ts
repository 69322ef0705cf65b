import { z } from 'zod';
import { replayedSchema } from '../../tools/idempotency.ts';
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
  replacedTasks: z
    .int()
    .optional()
    .describe('How many tasks the project had before; absent where there was no such project'),
  repairs: z
    .array(z.object({ place: z.string(), problem: z.string() }))
    .describe('What was changed to take the file: where, what was wrong, and what it is now'),
  replayed: replayedSchema,
});
