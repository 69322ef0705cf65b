import { parseOwnerAndTimes } from '../../delegation/owner-and-time-filter.ts';
import { agentResponseSchema, interactionStatusSchema, MAX_WAIT_MS, orJsonText } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Services } from '../../call/call.ts';
import { answerConfirmationSchema } from '../../delegation/answers/answer-confirmation.ts';
import { agentLlmTool } from '../../tools/agent-llm.ts';
import { tenantRouter } from '../admission/router.ts';
import { restCallOf } from '../admission/rest-call.ts';
import {
  interactionSummarySchema,
  toInteractionDetail,
  toInteractionSummary,
  interactionDetailSchema,
} from '../views/interaction-view.ts';
import { optionalParam } from './optional-param.ts';
import {
  cursorParamSchema,
  limitParamSchema,
  nextNonEmptyPage,
  nextCursorSchema,
  originFields,
} from './paging.ts';
import type { TenantRouteBase } from '../admission/tenant-route-base.ts';
import { jsonResponse, emptyBodySchema } from '../openapi/shared-schemas.ts';

const answer = z.strictObject({
  agentLLMResponse: orJsonText(agentResponseSchema).describe(
    'What came of the LLM call, as for the tool agent_llm',
  ),
  waitMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe('How long to wait for the outcome, in milliseconds'),
  repeat: z.boolean().optional().describe('After an answer that does not fit: the whole request again'),
});

/** Further than any task lives; the store cuts it down to the task's own end. */
const MAX_EXTENSION_MS = 2_592_000_000;
const extension = z.strictObject({
  ttlMs: z
    .int()
    .min(1)
    .max(MAX_EXTENSION_MS)
    .describe(
      "Milliseconds from now; never past the task's own end, and never earlier for a request of another principal without the scope admin",
    ),
});

const confirmation = answerConfirmationSchema.extend({
  replayed: answerConfirmationSchema.shape.replayed.describe('True when the same answer was given before'),
  outcome: answerConfirmationSchema.shape.outcome.describe('Where the task stood when the wait ended'),
});

/** A tenant's interactions: with `agent` or `admin` all of them, with `mcp` those of the caller's own calls. */
export async function interactionRoutes(
  app: FastifyInstance,
  { services, routeScope }: { services: Services; routeScope: TenantRouteBase },
): Promise<void> {
  const route = tenantRouter(app, routeScope, { tag: 'interactions', scopes: ['mcp', 'agent', 'admin'] });
  const params = { id: z.string().min(1).max(100) };

  route('GET /interactions', {
    id: 'listInteractions',
    summary: 'List interactions: pending ones oldest first, otherwise by task, newest first',
    query: z.strictObject({
      status: optionalParam(interactionStatusSchema).describe('Only these; all when left out'),
      operation: optionalParam(z.string().max(100)).describe('Only those of this operation'),
      ...originFields,
      limit: limitParamSchema,
      cursor: cursorParamSchema,
    }),
    reply: [
      200,
      'A page',
      z.object({ interactions: z.array(interactionSummarySchema), nextCursor: nextCursorSchema }),
    ],
    async run({ tenant: { queries }, identity, query }) {
      const { status, operation, limit, cursor: from, ...origin } = query;
      const filter = { operation, limit, ...parseOwnerAndTimes(origin) };
      const page = await nextNonEmptyPage(
        (at) =>
          status === 'pending'
            ? queries.pending.summaries(identity, { cursor: at, ...filter })
            : queries.history.summaries(identity, { cursor: at, status, ...filter }),
        from,
      );
      const { items, ...next } = page;
      return { interactions: items.map(toInteractionSummary), ...next };
    },
  });

  route('GET /interactions/:id', {
    id: 'getInteraction',
    summary: 'Show an interaction with its whole request',
    params,
    reply: [200, 'The interaction', interactionDetailSchema],
    run: async ({ tenant, identity, params: { id } }) =>
      toInteractionDetail(await tenant.queries.interaction(identity, id)),
  });

  // Not by the router, which admits before it runs: the script that takes the answer admits its caller.
  app.withTypeProvider<ZodTypeProvider>().post(
    '/interactions/:id/answer',
    {
      config: {
        access: routeScope.access(['mcp', 'agent'], { checkedInScript: true }),
        problems: [404, 409, 410],
      },
      schema: {
        operationId: routeScope.operationId('answerInteraction'),
        tags: ['interactions'],
        summary: 'Answer an interaction and wait for what comes of it, as the tool agent_llm does',
        description: 'A key needs the scope mcp or agent for it. The same answer again is confirmed again.',
        params: routeScope.params(params),
        body: answer,
        response: { 200: jsonResponse('The answer is stored', confirmation) },
      },
    },
    async (request, reply) => {
      const call = restCallOf(services, request, reply);
      const { structured } = await agentLlmTool.call(
        { interactionId: request.params.id, ...request.body },
        call,
        {},
      );
      return structured as z.infer<typeof confirmation>;
    },
  );

  route('POST /interactions/:id/cancel', {
    id: 'cancelInteraction',
    summary: 'Take an interaction back; its task goes on without an answer',
    params,
    body: emptyBodySchema,
    problems: [404, 409, 410],
    reply: [200, 'The interaction as it is now', interactionSummarySchema],
    async run({ tenant, identity, params: { id } }) {
      await tenant.interactions.cancel(identity, id);
      return toInteractionSummary(await tenant.queries.interaction(identity, id));
    },
  });

  route('POST /interactions/:id/extend', {
    id: 'extendInteraction',
    summary: 'Give a pending interaction another deadline, counted from now',
    params,
    body: extension,
    problems: [404, 409, 410],
    reply: [200, 'The interaction as it is now', interactionSummarySchema],
    async run({ tenant, identity, params: { id }, body }) {
      await tenant.interactions.extend(identity, id, body.ttlMs);
      return toInteractionSummary(await tenant.queries.interaction(identity, id));
    },
  });
}
