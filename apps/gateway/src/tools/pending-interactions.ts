import { BatonError, interactionStatus } from '@baton/protocol';
import { wholeNumber } from '@baton/operations';
import { z } from 'zod';
import { wholeRequest } from '../delegation/present.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  status: interactionStatus
    .default('pending')
    .describe('Which interactions; those that have ended only to look at'),
  interactionId: z.string().min(1).max(100).optional().describe('Only this one'),
  claim: z
    .strictObject({
      max: wholeNumber(z.int().min(1).max(50)).describe('How many to claim at most'),
      leaseMs: wholeNumber(z.int().min(1_000).max(3_600_000)).describe(
        'For how long they are hidden from other claims',
      ),
    })
    .optional()
    .describe('Claims what is returned; a claim hides from other claims and never blocks an answer'),
  cursor: z.string().max(500).optional(),
});

/** For agents: what waits for an LLM, whole. With scope `agent` the tenant's, otherwise the caller's own. */
export const pendingInteractions = defineTool({
  name: 'pending_interactions',
  title: 'List waiting LLM requests',
  description:
    'Lists the LLM requests that wait for an answer, oldest first, each with its whole request. Answer them with agent_llm.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  need: ['mcp', 'agent'],
  input,
  output: [z.object({ interactions: z.array(z.looseObject({})), nextCursor: z.string().optional() })],
  run: async ({ status, interactionId, claim, cursor }, call) => {
    const identity = await call.caller.admit(['mcp', 'agent']);
    const { listing } = call.tenant;
    if (interactionId !== undefined)
      return reply([wholeRequest(await listing.interaction(identity, interactionId))]);
    if (claim !== undefined && status !== 'pending') {
      const message = `claim: only pending interactions can be claimed, and status is '${status}'`;
      throw new BatonError('invalid_arguments', message, { field: 'claim' });
    }
    if (status === 'pending') {
      const page = await listing.pending(identity, { cursor, claim });
      return reply(page.items.map(wholeRequest), page.nextCursor);
    }
    const page = await listing.history(identity, cursor);
    return reply(page.items.filter((record) => record.status === status).map(wholeRequest), page.nextCursor);
  },
});

function reply(interactions: object[], nextCursor?: string) {
  return {
    text: `${interactions.length} interaction${interactions.length === 1 ? '' : 's'}${nextCursor ? ', and more' : ''}.`,
    structured: { interactions, ...(nextCursor ? { nextCursor } : {}) },
    speakJson: true,
  };
}
