import { ENDPOINT_KINDS, modelRoleSchema } from '@baton/protocol';
import { z } from 'zod';
import { isoTimeSchema } from '../openapi/shared-schemas.ts';

const routeSchema = z.union([
  z.object({ kind: z.literal('agent'), modelId: z.string().optional(), fixedModel: z.boolean().optional() }),
  z.object({
    kind: z.enum(ENDPOINT_KINDS),
    baseUrl: z.string(),
    modelId: z.string(),
    fixedModel: z.boolean().optional(),
    timeoutMs: z.int().optional(),
    apiKeySet: z.boolean().describe('Whether a key is stored; it is never shown'),
  }),
]);

export const roleSchema = z.object({
  role: modelRoleSchema,
  configured: z.boolean().describe('False: its requests go to the calling agent, and name no model'),
  routes: z.array(routeSchema),
  maxTokens: z.int().optional(),
  temperature: z.number().optional(),
  storedAt: isoTimeSchema.optional(),
  storedBy: z.string().optional(),
});
