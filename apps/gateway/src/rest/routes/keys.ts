import { keyInputSchema, scopeSchema, tenantId } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { jsonResponseSchema, isoTimeSchema } from '../openapi/shared-schemas.ts';

const key = z
  .object({
    id: z.string(),
    name: z.string(),
    principal: z.string().describe('Who calls with it'),
    scopes: z.array(scopeSchema).readonly(),
    createdAt: isoTimeSchema,
    expiresAt: isoTimeSchema.optional(),
  })
  .readonly();

const newKey = z
  .object({
    ...key.unwrap().shape,
    key: z.string().describe('The key itself. It is shown this once and stored nowhere'),
  })
  .readonly();

/** A week: who rotates has to bring the new key to everyone who uses the old one. */
const MAX_OVERLAP_SECONDS = 604_800;

const rotation = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(0)
    .describe('How long the old key is good beside the new one'),
});

const ofTenant = z.object({ tenant: tenantId });
const ofKey = z.object({
  tenant: tenantId,
  id: z.string().min(1).max(100).describe("The key's id, not its text"),
});
const access = { kind: 'path', scopes: ['admin'] } as const;
const tags = ['keys'];

/** A tenant's API keys, by the operator or the tenant's admins. A revoked key is refused from the next call on. */
export async function keyRoutes(app: FastifyInstance): Promise<void> {
  const rest = app.withTypeProvider<ZodTypeProvider>();

  rest.post(
    '/tenants/:tenant/keys',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'createKey',
        tags,
        summary: 'Create a key',
        params: ofTenant,
        body: keyInputSchema,
        response: { 201: jsonResponseSchema('The key, with its text', newKey) },
      },
    },
    async (request, reply) => {
      const { credentials } = tenantRequestOf(request).tenant;
      return reply.status(201).send(await credentials.create(request.body));
    },
  );

  rest.get(
    '/tenants/:tenant/keys',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'listKeys',
        tags,
        summary: 'List the keys, oldest first, without their texts',
        params: ofTenant,
        response: { 200: jsonResponseSchema('The keys', z.object({ keys: z.array(key) })) },
      },
    },
    async (request) => ({ keys: await tenantRequestOf(request).tenant.credentials.list() }),
  );

  rest.post(
    '/tenants/:tenant/keys/:id/rotate',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'rotateKey',
        tags,
        summary:
          'Replace a key by one with the same principal and scopes; the old one ends after the overlap',
        params: ofKey,
        body: rotation,
        response: { 201: jsonResponseSchema('The new key, with its text', newKey) },
      },
    },
    async (request, reply) => {
      const { credentials } = tenantRequestOf(request).tenant;
      return reply.status(201).send(await credentials.rotate(request.params.id, request.body.overlapSeconds));
    },
  );

  rest.delete(
    '/tenants/:tenant/keys/:id',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke a key, from the next call on and on every replica',
        params: ofKey,
        response: { 204: z.undefined().describe('It is revoked') },
      },
    },
    async (request, reply) => {
      await tenantRequestOf(request).tenant.credentials.revoke(request.params.id);
      return reply.status(204).send();
    },
  );
}
