import { keyDialectSchema, keyInputSchema, tenantIdSchema } from '@baton/protocol';
import { type ApiKeyInfo, keyIssuerOf } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { formatToolSelection, parseToolSelection } from '../../tool-listing/tool-selection.ts';
import { keySchema, newKeySchema } from '../views/key-view.ts';
import { cursorParamSchema, nextCursorSchema } from './paging.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';

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

const keyChange = z
  .strictObject({
    name: keyInputSchema.shape.name.optional(),
    tools: keyInputSchema.shape.tools,
    dialect: z.union([keyDialectSchema, z.literal('').describe('None: as its clients declare')]).optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'must change name, tools or dialect',
  );

const ofTenant = z.object({ tenant: tenantIdSchema });
const ofKey = z.object({
  tenant: tenantIdSchema,
  id: z.string().min(1).max(100).describe("The key's id, not its text"),
});
const access = { kind: 'path', scopes: ['admin'] } as const;
const tags = ['keys'];

/** A tenant's API keys, by the operator or the tenant's admins. A revoked key is refused from the next call on. */
export async function keyRoutes(
  app: FastifyInstance,
  { isTool }: { isTool: (name: string) => boolean },
): Promise<void> {
  const rest = app.withTypeProvider<ZodTypeProvider>();
  const readTools = ({ tools }: { tools?: string | undefined }) =>
    tools === undefined ? {} : { tools: formatToolSelection(parseToolSelection(tools, isTool, 'tools')) };

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
        response: { 201: jsonResponse('The key, with its text', newKeySchema) },
      },
    },
    async (request, reply) => {
      const { tenant, caller } = tenantRequestOf(request);
      const input = { ...request.body, ...readTools(request.body) };
      const created = await tenant.apiKeys.create(input, keyIssuerOf(caller.heldIdentity()));
      logKeyChange(request, 'created', created);
      return reply.status(201).send(created);
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
        querystring: z.strictObject({ cursor: cursorParamSchema }),
        response: {
          200: jsonResponse(
            'A page of keys',
            z.object({ keys: z.array(keySchema).readonly(), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const { tenant, caller } = tenantRequestOf(request);
      const { items, nextCursor } = await tenant.apiKeys.list(caller.heldIdentity(), request.query.cursor);
      return nextCursor === undefined ? { keys: items } : { keys: items, nextCursor };
    },
  );

  rest.patch(
    '/tenants/:tenant/keys/:id',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'updateKey',
        tags,
        summary:
          'Rename a key, or change which tools are listed to it or its dialect, from the next call on; a dialect within a second',
        params: ofKey,
        body: keyChange,
        response: { 200: jsonResponse('The key as it is now', keySchema) },
      },
    },
    async (request) => {
      const { name, dialect } = request.body;
      const change = {
        ...(name !== undefined && { name }),
        ...(dialect !== undefined && { dialect }),
        ...readTools(request.body),
      };
      const updated = await tenantRequestOf(request).tenant.apiKeys.update(request.params.id, change);
      logKeyChange(request, 'changed', updated, change);
      return updated;
    },
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
        response: { 201: jsonResponse('The new key, with its text', newKeySchema) },
      },
    },
    async (request, reply) => {
      const { tenant, caller } = tenantRequestOf(request);
      const { params, body } = request;
      const issuer = keyIssuerOf(caller.heldIdentity());
      const rotated = await tenant.apiKeys.rotate(params.id, body.overlapSeconds, issuer);
      logKeyChange(request, 'rotated', rotated, { replaces: params.id, ...body });
      return reply.status(201).send(rotated);
    },
  );

  rest.delete(
    '/tenants/:tenant/keys/:id',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'revokeKey',
        tags,
        summary: 'Revoke a key, from the next call on, with the calls that are held, and on every replica',
        params: ofKey,
        querystring: z.strictObject({
          children: z
            .enum(['true', 'false'])
            .default('false')
            .describe('true: also the keys that were made with it, and theirs'),
        }),
        response: { 204: z.undefined().describe('It is revoked') },
      },
    },
    async (request, reply) => {
      const { apiKeys } = tenantRequestOf(request).tenant;
      const ids = await apiKeys.revoke(request.params.id, request.query.children === 'true');
      for (const id of ids) logKeyChange(request, 'revoked', { id });
      return reply.status(204).send();
    },
  );
}

/** One line for each change of a key: what, whose, and by whom. */
function logKeyChange(
  request: FastifyRequest,
  change: 'created' | 'changed' | 'rotated' | 'revoked',
  { id, principal, scopes, expiresAt }: Pick<ApiKeyInfo, 'id'> & Partial<ApiKeyInfo>,
  more: object = {},
): void {
  const { tenant, caller } = tenantRequestOf(request);
  const by = caller.heldIdentity().admittedBy?.id ?? 'operator';
  const facts = { audit: `key_${change}`, tenant: tenant.id, keyId: id, by, principal, scopes, expiresAt };
  request.log.info({ ...facts, ...more }, `a key was ${change}`);
}
