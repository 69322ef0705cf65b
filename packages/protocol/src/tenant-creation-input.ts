import { z } from 'zod';
import { tenantIdSchema } from './ids.ts';

/** What the operator gives to create a tenant. */
export const tenantCreationInputSchema = z.strictObject({
  id: tenantIdSchema,
  name: z.string().min(1).max(200).optional(),
});
