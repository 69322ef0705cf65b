import { keyDialectSchema, keyInputSchema, keyToolsSchema } from '@baton/protocol';
import { type ApiKeyInfo, keyIssuerOf } from '@baton/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import { tenantRouter } from '../admission/router.ts';
import { pathTenantRouteBase } from '../admission/tenant-route-base.ts';
import { formatToolSelection, parseToolSelection } from '../../tool-listing/tool-selection.ts';
import { keySchema, newKeySchema } from '../views/key-view.ts';
import { actorOf, recordAudit } from './audit.ts';
import { cursorParamSchema, nextCursorSchema } from './paging.ts';

/** A week: who rotates has to bring the new key to everyone who uses the old one. */
const MAX_OVERLAP_SECONDS = 604_800;

/** Of the keys that were revoked with one, so many are named in the audit. */
const MAX_CHILDREN_NAMED = 100;

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
    tools: z.union([z.literal('').describe('None: the default'), keyToolsSchema]).optional(),
    dialect: z.union([keyDialectSchema, z.literal('').describe('None: as its clients declare')]).optional(),
  })
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'must change name, tools or dialect',
  );

const OF_KEY = { id: z.string().min(1).max(100).describe("The key's id, not its text") };

/** A tenant's API keys, by the operator or the tenant's admins. A revoked key is refused from the next call on. */
export async function keyRoutes(
  app: FastifyInstance,
  { isTool }: { isTool: (name: string) => boolean },
): Promise<void> {
  const base = { ...pathTenantRouteBase, operationId: (id: string) => id };
  const route = tenantRouter(app, base, { tag: 'keys', scopes: ['admin'] });
  const readTools = ({ tools }: { tools?: string | undefined }) =>
    tools === undefined ? {} : { tools: formatToolSelection(parseToolSelection(tools, isTool, 'tools')) };

  route('POST /keys', {
    id: 'createKey',
    summary: 'Create a key',
    body: keyInputSchema,
    reply: [201, 'The key, with its text', newKeySchema],
    async run({ tenant, caller, body }, request) {
      const input = { ...body, ...readTools(body) };
      const created = await tenant.apiKeys.create(input, keyIssuerOf(caller.heldIdentity()));
      await recordKeyChange(request, 'created', created);
      return created;
    },
  });

  route('GET /keys', {
    id: 'listKeys',
    summary: 'List the keys, oldest first, without their texts',
    query: z.strictObject({ cursor: cursorParamSchema }),
    reply: [
      200,
      'A page of keys',
      z.object({ keys: z.array(keySchema).readonly(), nextCursor: nextCursorSchema }),
    ],
    async run({ tenant, caller, query }) {
      const { items, ...next } = await tenant.apiKeys.list(caller.heldIdentity(), query.cursor);
      return { keys: items, ...next };
    },
  });

  route('PATCH /keys/:id', {
    id: 'updateKey',
    summary:
      'Rename a key, or change which tools are listed to it or its dialect, from the next call on; a dialect within a second',
    params: OF_KEY,
    body: keyChange,
    reply: [200, 'The key as it is now', keySchema],
    async run({ tenant, params, body }, request) {
      const { name, tools, dialect } = body;
      const change = {
        ...(name !== undefined && { name }),
        ...(dialect !== undefined && { dialect }),
        ...(tools === '' ? { tools } : readTools(body)),
      };
      const updated = await tenant.apiKeys.update(params.id, change);
      await recordKeyChange(request, 'changed', updated, change);
      return updated;
    },
  });

  route('POST /keys/:id/rotate', {
    id: 'rotateKey',
    summary: 'Replace a key by one with the same principal and scopes; the old one ends after the overlap',
    params: OF_KEY,
    body: rotation,
    reply: [201, 'The new key, with its text', newKeySchema],
    async run({ tenant, caller, params, body }, request) {
      const issuer = keyIssuerOf(caller.heldIdentity());
      const rotated = await tenant.apiKeys.rotate(params.id, body.overlapSeconds, issuer);
      await recordKeyChange(request, 'rotated', rotated, { replaces: params.id, ...body });
      return rotated;
    },
  });

  route('DELETE /keys/:id', {
    id: 'revokeKey',
    summary: 'Revoke a key, from the next call on, with the calls that are held, and on every replica',
    params: OF_KEY,
    query: z.strictObject({
      children: z
        .enum(['true', 'false'])
        .default('false')
        .describe('true: also the keys that were made with it, and theirs'),
    }),
    reply: [204, 'It is revoked'],
    async run({ tenant, params, query }, request) {
      const ids = await tenant.apiKeys.revoke(params.id, query.children === 'true');
      const children = ids.filter((id) => id !== params.id);
      const named = { children: children.length, childIds: children.slice(0, MAX_CHILDREN_NAMED) };
      await recordKeyChange(request, 'revoked', { id: params.id }, children.length === 0 ? {} : named);
    },
  });
}

/** Each change of a key: which, whose, and by whom. */
function recordKeyChange(
  request: FastifyRequest,
  change: 'created' | 'changed' | 'rotated' | 'revoked',
  { id: keyId, principal, scopes, expiresAt }: Pick<ApiKeyInfo, 'id'> & Partial<ApiKeyInfo>,
  more: object = {},
): Promise<void> {
  const { tenant } = tenantRequestOf(request);
  return recordAudit(request, tenant, `key_${change}`, actorOf(request), {
    keyId,
    principal,
    scopes,
    expiresAt,
    ...more,
  });
}
