import { keyDialectSchema, scopeSchema, tenantIdSchema } from '@baton/protocol';
import { z } from 'zod';
import { isoTimeSchema, named } from '../openapi/shared-schemas.ts';

/** A key as lists show it. */
export const keySchema = named(
  'Key',
  z
    .object({
      id: z.string(),
      name: z.string(),
      principal: z.string().describe('Who calls with it'),
      scopes: z.array(scopeSchema).readonly(),
      tools: z.string().optional().describe('Which tools are listed to it; absent where it selects none'),
      dialect: keyDialectSchema.optional(),
      createdAt: isoTimeSchema,
      expiresAt: isoTimeSchema.optional(),
      parent: z.string().optional().describe('The key with which it was made; absent for the operator'),
      lastUsedAt: isoTimeSchema.optional().describe('To ten minutes'),
    })
    .readonly(),
);

/** A key that was just made, with its text. */
export const newKeySchema = named(
  'NewKey',
  z
    .object({
      ...keySchema.unwrap().shape,
      key: z.string().describe('The key itself. It is shown this once and stored nowhere'),
    })
    .readonly(),
);

/** A key as it is shown to itself. */
export const ownKeySchema = z.object({
  tenant: tenantIdSchema,
  id: z.string().describe("The key's id, not its text"),
  principal: z.string().describe('Who calls with it'),
  scopes: z.array(scopeSchema),
});
