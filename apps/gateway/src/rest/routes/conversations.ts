import type { Scope } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  conversationDetailSchema,
  conversationPageSchema,
  conversationPart,
  toConversation,
} from '../../conversations/conversation-view.ts';
import { tenantRequestOf } from '../admission/admit-requests.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse } from '../openapi/shared-schemas.ts';
import { optionalParam } from './optional-param.ts';
import { cursorParamSchema, nextNonEmptyPage } from './paging.ts';

const SEE: readonly Scope[] = ['mcp', 'agent', 'admin'];
const tags = ['conversations'];

/** Conversations with the assistant: with `agent` or `admin` all of the tenant's, with `mcp` the caller's own. */
export async function conversationRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({ id: z.string().min(1).max(100) });

  api.get(
    '/conversations',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('listConversations'),
        tags,
        summary: 'List conversations, those used last first',
        params: routeScope.params({}),
        querystring: z.strictObject({ cursor: cursorParamSchema }),
        response: { 200: jsonResponse('A page', conversationPageSchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const page = (at: string | undefined) => rest.tenant.conversations.page(identity, at);
      const { items, ...next } = await nextNonEmptyPage(page, request.query.cursor);
      return { conversations: items.map(toConversation), ...next };
    },
  );

  api.get(
    '/conversations/:id',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getConversation'),
        tags,
        summary: 'Show a conversation with its messages, in parts',
        params,
        querystring: z.strictObject({
          from: optionalParam(z.coerce.number().int().min(0)).describe('The number of the first message'),
        }),
        response: { 200: jsonResponse('The conversation', conversationDetailSchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const { id } = request.params;
      const found = await rest.tenant.conversations.read(await rest.admit(), id, request.query.from ?? 0);
      return conversationPart(found);
    },
  );

  api.delete(
    '/conversations/:id',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('deleteConversation'),
        tags,
        summary: 'Delete a conversation with its messages',
        params,
        response: { 204: z.null().describe('It is deleted') },
      },
    },
    async (request, reply) => {
      const rest = tenantRequestOf(request);
      await rest.tenant.conversations.delete(await rest.admit(), request.params.id);
      return reply.code(204).send(null);
    },
  );
}
