import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  conversationDetailSchema,
  conversationPageSchema,
  conversationPart,
  toConversation,
} from '../../conversations/conversation-view.ts';
import { tenantRouter } from '../admission/router.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { optionalParam } from './optional-param.ts';
import { cursorParamSchema, nextNonEmptyPage } from './paging.ts';

/** Conversations with the assistant: with `agent` or `admin` all of the tenant's, with `mcp` the caller's own. */
export async function conversationRoutes(
  app: FastifyInstance,
  { routeScope }: { routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'conversations', scopes: ['mcp', 'agent', 'admin'] });
  const params = { id: z.string().min(1).max(100) };

  route('GET /conversations', {
    id: 'listConversations',
    summary: 'List conversations, those used last first',
    query: z.strictObject({ cursor: cursorParamSchema }),
    reply: [200, 'A page', conversationPageSchema],
    async run({ tenant, identity, query }) {
      const page = (at: string | undefined) => tenant.conversations.page(identity, at);
      const { items, ...next } = await nextNonEmptyPage(page, query.cursor);
      return { conversations: items.map(toConversation), ...next };
    },
  });

  route('GET /conversations/:id', {
    id: 'getConversation',
    summary: 'Show a conversation with its messages, in parts',
    params,
    query: z.strictObject({
      from: optionalParam(z.coerce.number().int().min(0)).describe('The number of the first message'),
    }),
    reply: [200, 'The conversation', conversationDetailSchema],
    run: async ({ tenant, identity, params: { id }, query: { from = 0 } }) =>
      conversationPart(await tenant.conversations.read(identity, id, from)),
  });

  route('DELETE /conversations/:id', {
    id: 'deleteConversation',
    summary: 'Delete a conversation with its messages',
    params,
    reply: [204, 'It is deleted'],
    run: ({ tenant, identity, params: { id } }) => tenant.conversations.delete(identity, id),
  });
}
