import { parseOwnerAndTimes } from '../../delegation/owner-and-time-filter.ts';
import { agentResponseSchema, interactionStatusSchema, MAX_WAIT_MS, type Scope } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Services } from '../../call/call.ts';
import { answerConfirmationSchema } from '../../delegation/answers/answer-confirmation.ts';
import { agentLlmTool } from '../../tools/agent-llm.ts';
import { tenantRequestOf } from '../admission/admit-requests.ts';
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
  agentLLMResponse: agentResponseSchema.describe('What came of the LLM call, as for the tool agent_llm'),
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
    .describe("Milliseconds from now; never past the task's own end"),
});

const confirmation = answerConfirmationSchema.extend({
  replayed: answerConfirmationSchema.shape.replayed.describe('True when the same answer was given before'),
  outcome: answerConfirmationSchema.shape.outcome.describe('Where the task stood when the wait ended'),
});

const SEE: readonly Scope[] = ['mcp', 'agent', 'admin'];
const tags = ['interactions'];

/** A tenant's interactions: with `agent` or `admin` all of them, with `mcp` those of the caller's own calls. */
export async function interactionRoutes(
  app: FastifyInstance,
  { services, routeScope }: { services: Services; routeScope: TenantRouteBase },
): Promise<void> {
  const api = app.withTypeProvider<ZodTypeProvider>();
  const params = routeScope.params({ id: z.string().min(1).max(100) });

  api.get(
    '/interactions',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('listInteractions'),
        tags,
        summary: 'List interactions: pending ones oldest first, otherwise by task, newest first',
        params: routeScope.params({}),
        querystring: z.strictObject({
          status: optionalParam(interactionStatusSchema).describe('Only these; all when left out'),
          operation: optionalParam(z.string().max(100)).describe('Only those of this operation'),
          ...originFields,
          limit: limitParamSchema,
          cursor: cursorParamSchema,
        }),
        response: {
          200: jsonResponse(
            'A page',
            z.object({ interactions: z.array(interactionSummarySchema), nextCursor: nextCursorSchema }),
          ),
        },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const { status, operation, limit, cursor: from, ...origin } = request.query;
      const filter = { operation, limit, ...parseOwnerAndTimes(origin) };
      const { queries } = rest.tenant;
      const page = await nextNonEmptyPage(
        (at) =>
          status === 'pending'
            ? queries.pendingSummaries(identity, { cursor: at, ...filter })
            : queries.historySummaries(identity, { cursor: at, status, ...filter }),
        from,
      );
      const { items, ...next } = page;
      return { interactions: items.map(toInteractionSummary), ...next };
    },
  );

  api.get(
    '/interactions/:id',
    {
      config: { access: routeScope.access(SEE), problems: [404] },
      schema: {
        operationId: routeScope.operationId('getInteraction'),
        tags,
        summary: 'Show an interaction with its whole request',
        params,
        response: { 200: jsonResponse('The interaction', interactionDetailSchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      return toInteractionDetail(
        await rest.tenant.queries.interaction(await rest.admit(), request.params.id),
      );
    },
  );

  api.post(
    '/interactions/:id/answer',
    {
      config: {
        access: routeScope.access(['mcp', 'agent'], { checkedInScript: true }),
        problems: [404, 409, 410],
      },
      schema: {
        operationId: routeScope.operationId('answerInteraction'),
        tags,
        summary: 'Answer an interaction and wait for what comes of it, as the tool agent_llm does',
        description: 'A key needs the scope mcp or agent for it. The same answer again is confirmed again.',
        params,
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

  api.post(
    '/interactions/:id/cancel',
    {
      config: { access: routeScope.access(SEE), problems: [404, 409, 410] },
      schema: {
        operationId: routeScope.operationId('cancelInteraction'),
        tags,
        summary: 'Take an interaction back; its task goes on without an answer',
        params,
        body: emptyBodySchema,
        response: { 200: jsonResponse('The interaction as it is now', interactionSummarySchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const { id } = request.params;
      await rest.tenant.interactions.cancel(identity, id);
      return toInteractionSummary(await rest.tenant.queries.interaction(identity, id));
    },
  );

  api.post(
    '/interactions/:id/extend',
    {
      config: { access: routeScope.access(SEE), problems: [404, 409, 410] },
      schema: {
        operationId: routeScope.operationId('extendInteraction'),
        tags,
        summary: 'Give a pending interaction another deadline, counted from now',
        params,
        body: extension,
        response: { 200: jsonResponse('The interaction as it is now', interactionSummarySchema) },
      },
    },
    async (request) => {
      const rest = tenantRequestOf(request);
      const identity = await rest.admit();
      const { id } = request.params;
      await rest.tenant.interactions.extend(identity, id, request.body.ttlMs);
      return toInteractionSummary(await rest.tenant.queries.interaction(identity, id));
    },
  );
}
