import { z } from 'zod';
import { tenantId } from './ids.ts';

/** What the operator gives to create a tenant. */
export const tenantInputSchema = z.strictObject({
  id: tenantId,
  name: z.string().min(1).max(200).optional(),
});
