import { agentResponse, interactionStatus, MAX_WAIT_MS, type Scope } from '@baton/protocol';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Services } from '../context.ts';
import { agentLlm } from '../tools/agent-llm.ts';
import { visitOf } from './admission.ts';
import { interactionSummary, showWhole, summarize, wholeInteraction } from './interaction-view.ts';
import { cursor, filtered, nextCursor, orAbsent } from './paging.ts';
import type { Reach } from './reach.ts';
import { json, noBody } from './respond.ts';

const answer = z.strictObject({
  agentLLMResponse: agentResponse.describe('What came of the LLM call, as for the tool agent_llm'),
  waitMs: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe('How long to wait for the outcome, in milliseconds'),
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

const confirmation = z.looseObject({
  status: z.literal('agent_response_processed_by_taskmaster'),
  interactionId: z.string(),
  taskId: z.string(),
  replayed: z.boolean().optional().describe('True when the same answer was given before'),
  outcome: z.looseObject({ status: z.string() }).describe('Where the task stood when the wait ended'),
});

const SEE: readonly Scope[] = ['mcp', 'agent', 'admin'];
const tags = ['interactions'];

/** A tenant's interactions: with `agent` or `admin` all of them, with `mcp` those of the caller's own calls. */
export async function interactionRoutes(
  app: FastifyInstance,
  { services, reach }: { services: Services; reach: Reach },
): Promise<void> {
  const rest = app.withTypeProvider<ZodTypeProvider>();
  const params = reach.params({ id: z.string().min(1).max(100) });

  rest.get(
    '/interactions',
    {
      config: { access: reach.access(SEE), problems: [404] },
      schema: {
        operationId: reach.operationId('listInteractions'),
        tags,
        summary: 'List interactions: pending ones oldest first, otherwise by task, newest first',
        params: reach.params({}),
        querystring: z.strictObject({
          status: orAbsent(interactionStatus).describe('Only these; all when left out'),
          operation: orAbsent(z.string().max(100)).describe('Only those of this operation'),
          cursor,
        }),
        response: {
          200: json('A page', z.object({ interactions: z.array(interactionSummary), nextCursor })),
        },
      },
    },
    async (request) => {
      const visit = visitOf(request);
      const identity = await visit.admit();
      const { status, operation, cursor: from } = request.query;
      const { listing } = visit.tenant;
      const page = await filtered(
        (at) =>
          status === 'pending'
            ? listing.pendingSummaries(identity, { cursor: at, operation })
            : listing.historySummaries(identity, { cursor: at, status, operation }),
        from,
        () => true,
      );
      const { items, ...next } = page;
      return { interactions: items.map(summarize), ...next };
    },
  );

  rest.get(
    '/interactions/:id',
    {
      config: { access: reach.access(SEE), problems: [404] },
      schema: {
        operationId: reach.operationId('getInteraction'),
        tags,
        summary: 'Show an interaction with its whole request',
        params,
        response: { 200: json('The interaction', wholeInteraction) },
      },
    },
    async (request) => {
      const visit = visitOf(request);
      return showWhole(await visit.tenant.listing.interaction(await visit.admit(), request.params.id));
    },
  );

  rest.post(
    '/interactions/:id/answer',
    {
      config: {
        access: reach.access(['mcp', 'agent'], { carried: true }),
        problems: [404, 409, 410],
      },
      schema: {
        operationId: reach.operationId('answerInteraction'),
        tags,
        summary: 'Answer an interaction and wait for what comes of it, as the tool agent_llm does',
        description: 'A key needs the scope mcp or agent for it. The same answer again is confirmed again.',
        params,
        body: answer,
        response: { 200: json('The answer is stored', confirmation) },
      },
    },
    async (request, reply) => {
      const { tenant, caller } = visitOf(request);
      const call = { services, tenant, caller, signal: services.open.signalOf(reply) };
      const { structured } = await agentLlm.call(
        { interactionId: request.params.id, ...request.body },
        call,
        {},
      );
      return structured as z.infer<typeof confirmation>;
    },
  );

  rest.post(
    '/interactions/:id/cancel',
    {
      config: { access: reach.access(SEE), problems: [404, 409, 410] },
      schema: {
        operationId: reach.operationId('cancelInteraction'),
        tags,
        summary: 'Take an interaction back; its task goes on without an answer',
        params,
        body: noBody,
        response: { 200: json('The interaction as it is now', interactionSummary) },
      },
    },
    async (request) => {
      const visit = visitOf(request);
      const identity = await visit.admit();
      const { id } = request.params;
      await visit.tenant.interactions.cancel(identity, id);
      return summarize(await visit.tenant.listing.interaction(identity, id));
    },
  );

  rest.post(
    '/interactions/:id/extend',
    {
      config: { access: reach.access(SEE), problems: [404, 409, 410] },
      schema: {
        operationId: reach.operationId('extendInteraction'),
        tags,
        summary: 'Give a pending interaction another deadline, counted from now',
        params,
        body: extension,
        response: { 200: json('The interaction as it is now', interactionSummary) },
      },
    },
    async (request) => {
      const visit = visitOf(request);
      const identity = await visit.admit();
      const { id } = request.params;
      await visit.tenant.interactions.extend(identity, id, request.body.ttlMs);
      return summarize(await visit.tenant.listing.interaction(identity, id));
    },
  );
}
