import {
  BatonError,
  type Limits,
  limitsSchema,
  limitsPatch,
  tenantId,
  tenantInputSchema,
} from '@baton/protocol';
import type { OperatorStore } from '@baton/store/operator';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { cursor, nextCursor } from '../routes/paging.ts';
import { jsonResponseSchema, isoTimeSchema } from '../openapi/shared-schemas.ts';

const tenant = z
  .object({
    id: tenantId,
    name: z.string(),
    suspended: z.boolean().describe('True: its keys are refused, its tasks stay as they are'),
    createdAt: isoTimeSchema,
    limits: limitsSchema,
    openTasks: z.int().describe('Tasks that have not ended'),
  })
  .readonly();

const creation = tenantInputSchema.extend({
  limits: limitsPatch.optional().describe('Any of them; the others have their defaults'),
});

const change = z.strictObject({
  name: tenantInputSchema.shape.name,
  suspended: z.boolean().optional(),
  limits: limitsPatch.optional().describe('Any of them; the others stay'),
});

const params = z.object({ tenant: tenantId });
const PAGE_SIZE = 100;
const access = { kind: 'operator' } as const;
const tags = ['tenants'];

/** Tenants, by the operator's token. A new or changed one is so at once on every replica. */
export async function tenantRoutes(
  app: FastifyInstance,
  { operatorStore }: { operatorStore: OperatorStore },
): Promise<void> {
  const rest = app.withTypeProvider<ZodTypeProvider>();

  rest.post(
    '/tenants',
    {
      config: { access, problems: [409] },
      schema: {
        operationId: 'createTenant',
        tags,
        summary: 'Create a tenant',
        body: creation,
        response: { 201: jsonResponseSchema('The tenant', tenant) },
      },
    },
    async (request, reply) => {
      const created = await operatorStore.create({
        ...request.body,
        limits: asPartialLimits(request.body.limits),
      });
      return reply.status(201).send(created);
    },
  );

  rest.get(
    '/tenants',
    {
      config: { access },
      schema: {
        operationId: 'listTenants',
        tags,
        summary: 'List the tenants, in the order of their ids',
        querystring: z.strictObject({ cursor }),
        response: {
          200: jsonResponseSchema('A page of tenants', z.object({ tenants: z.array(tenant), nextCursor })),
        },
      },
    },
    async (request) => {
      const found = await operatorStore.list(readCursor(request.query.cursor), PAGE_SIZE + 1);
      const tenants = found.slice(0, PAGE_SIZE);
      const last = tenants.at(-1);
      return { tenants, ...(found.length > PAGE_SIZE && last ? { nextCursor: cursorAfter(last.id) } : {}) };
    },
  );

  rest.get(
    '/tenants/:tenant',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'getTenant',
        tags,
        summary: 'Show a tenant',
        params,
        response: { 200: jsonResponseSchema('The tenant', tenant) },
      },
    },
    async (request) => operatorStore.get(request.params.tenant),
  );

  rest.patch(
    '/tenants/:tenant',
    {
      config: { access, problems: [404] },
      schema: {
        operationId: 'changeTenant',
        tags,
        summary: 'Rename, suspend or resume a tenant, or change its limits',
        params,
        body: change,
        response: { 200: jsonResponseSchema('The tenant as it is now', tenant) },
      },
    },
    async (request) =>
      operatorStore.update(request.params.tenant, {
        ...request.body,
        limits: asPartialLimits(request.body.limits),
      }),
  );
}

/** JSON has no `undefined`, so what is there is given; zod's type cannot say so. */
function asPartialLimits(patch: z.infer<typeof limitsPatch> | undefined): Partial<Limits> | undefined {
  return patch as Partial<Limits> | undefined;
}

function cursorAfter(id: string): string {
  return Buffer.from(id).toString('base64url');
}

/** The last id of the page before. Errors: `invalid_arguments` naming the cursor. */
function readCursor(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const id = Buffer.from(text, 'base64url').toString();
  if (tenantId.safeParse(id).success) return id;
  throw new BatonError(
    'invalid_arguments',
    `cursor: '${text.slice(0, 40)}' is not one that Baton gave out. Leave it out to start from the beginning.`,
    { field: 'cursor' },
  );
}
