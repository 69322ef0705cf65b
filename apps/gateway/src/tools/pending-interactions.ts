import { booleanOrText, integerOrDigits } from '@baton/operations';
import { interactionStatusSchema, MAX_WAIT_MS, requestRoleSchema } from '@baton/protocol';
import { type HistoryQuery, MAX_PAGE_SIZE, type PendingQuery } from '@baton/store';
import { z } from 'zod';
import { edgeAdmittedAccess, MCP_OR_AGENT_SCOPE } from '../call/access.ts';
import type { AdmittedCall } from '../call/call.ts';
import {
  describeInteractionWithRequest,
  summarizeInteraction,
} from '../delegation/describe-interaction-with-request.ts';
import { parseOwnerAndTimes } from '../delegation/owner-and-time-filter.ts';
import { describeInteractionPage, INTERACTION_PAGE_BOUNDS } from '../delegation/interaction-page.ts';
import { waitForPendingInteractions } from '../delegation/wait-for-pending-interactions.ts';
import { CLIENT_CLOSED, REQUEST_CANCELLED } from '../call/inflight-waits.ts';
import { defineEdgeAdmittedTool } from './tool.ts';

/** A shorter lease would end before its holder could work on anything. */
const MIN_LEASE_MS = 1_000;

const claim = z.strictObject({
  max: integerOrDigits(z.int().min(1).max(50)).default(1).describe('How many to claim at most'),
  leaseMs: integerOrDigits(z.int().min(0).max(3_600_000)).describe(
    `For how long they are hidden from other claims, ${MIN_LEASE_MS} or more; 0 ends the claim on interactionId, or, ` +
      'without one, all claims of holder, which is given none any more: for a call whose reply did not come',
  ),
  holder: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'A name for whoever claims, where several share a key; only the same one renews or ends a claim',
    ),
});

const time = z.iso.datetime({ offset: true });

/** What says which of a list. */
const LIST_FIELDS = [
  'operation',
  'role',
  'principal',
  'createdAfter',
  'createdBefore',
  'limit',
  'cursor',
] as const;

const input = z
  .strictObject({
    status: interactionStatusSchema
      .default('pending')
      .describe('Which interactions; those that have ended only to look at'),
    interactionId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Only this one, in whatever status; with claim it is claimed, or its claim is renewed or ended',
      ),
    operation: z.string().min(1).max(100).optional().describe('Only those of this operation'),
    role: requestRoleSchema
      .optional()
      .describe('Only those for this role; a claim takes questions to a person only where it is `person`'),
    principal: z.string().min(1).max(200).optional().describe('Only those of calls of this principal'),
    createdAfter: time.optional().describe('Only those that were created then or later, in ISO 8601'),
    createdBefore: time.optional().describe('Only those that were created before, in ISO 8601'),
    limit: integerOrDigits(z.int().min(1).max(MAX_PAGE_SIZE))
      .optional()
      .describe('How many at most; 50 when left out'),
    claim: claim
      .optional()
      .describe('Claims what is returned; a claim hides from other claims and never blocks an answer'),
    waitMs: integerOrDigits(z.int().min(0).max(MAX_WAIT_MS))
      .default(0)
      .describe('How long to wait, in milliseconds, for something to become pending if nothing is'),
    requests: booleanOrText(
      'True: each with its whole request, a page of 20,000 tokens at a time; by default summaries. With claim or interactionId they are whole',
    ),
    cursor: z.string().min(1).max(500).optional(),
  })
  .superRefine(({ status, interactionId, claim: claimRequest, waitMs, ...list }, context) => {
    const refuse = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const { leaseMs = MIN_LEASE_MS } = claimRequest ?? {};
    if (claimRequest !== undefined && status !== 'pending')
      refuse(['claim'], `only pending interactions can be claimed, and status is '${status}'`);
    if (leaseMs === 0 && interactionId === undefined && claimRequest?.holder === undefined)
      refuse(['claim', 'leaseMs'], 'is 0, which ends claims: give interactionId, or the holder of all');
    if (leaseMs > 0 && leaseMs < MIN_LEASE_MS)
      refuse(['claim', 'leaseMs'], `is ${leaseMs}; it must be 0, or ${MIN_LEASE_MS} or more`);
    if (waitMs > 0 && (interactionId !== undefined || status !== 'pending'))
      refuse(['waitMs'], 'waits for a list of what is pending, without interactionId or another status');
    for (const field of LIST_FIELDS)
      if (interactionId !== undefined && list[field] !== undefined)
        refuse([field], 'is of use for a list only, and interactionId names one');
  });
type Input = z.output<typeof input>;
type ClaimRequest = z.output<typeof claim>;

/** For agents: what waits for an LLM. With scope `agent` the tenant's, otherwise the caller's own. */
export const pendingInteractionsTool = defineEdgeAdmittedTool({
  name: 'pending_interactions',
  title: 'List waiting LLM requests',
  category: 'delegation',
  description:
    'Lists the LLM requests that wait for an answer, oldest first, as summaries; interactionId or claim gives the whole request. Answer ' +
    'them with agent_llm. Agents that share a backlog claim what they work on, and renew a claim by claiming its interactionId again.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  isLong: true,
  access: edgeAdmittedAccess(MCP_OR_AGENT_SCOPE),
  input,
  output: [z.object({ interactions: z.array(z.looseObject({})), nextCursor: z.string().optional() })],
  run: async (given, call) => {
    if (given.interactionId !== undefined) return showOne(given.interactionId, given, call);
    const { status, cursor, operation, role: wanted, limit, claim: claimRequest } = given;
    const query = { cursor, operation, role: wanted, limit, ...parseOwnerAndTimes(given) };
    if (status !== 'pending') return listHistory({ ...query, status }, given.requests === true, call);
    if (claimRequest === undefined) return listPending(query, given, call);
    if (claimRequest.leaseMs > 0) return claimPending({ ...query, claim: claimRequest }, given.waitMs, call);
    await call.tenant.claims.releaseHolder(call.identity, claimRequest.holder ?? '');
    return listReply([]);
  },
});

async function listHistory(
  query: HistoryQuery,
  isWhole: boolean,
  { identity, tenant: { queries } }: AdmittedCall,
) {
  if (!isWhole) {
    const { items, nextCursor } = await queries.history.summaries(identity, query);
    return listReply(items.map(summarizeInteraction), nextCursor);
  }
  const { items, nextCursor } = await queries.history.records(identity, {
    ...query,
    bounds: INTERACTION_PAGE_BOUNDS,
  });
  return listReply(describeInteractionPage(items), nextCursor);
}

async function listPending(query: PendingQuery, { requests, waitMs }: Input, call: AdmittedCall) {
  const { identity } = call;
  const { queries } = call.tenant;
  if (requests !== true) {
    const { items, nextCursor } = await waitForPendingInteractions(call, { ...query, waitMs }, (at) =>
      queries.pending.summaries(identity, at),
    );
    return listReply(items.map(summarizeInteraction), nextCursor);
  }
  const bounded = { ...query, bounds: INTERACTION_PAGE_BOUNDS, waitMs };
  const { items, nextCursor } = await waitForPendingInteractions(call, bounded, (at) =>
    queries.pending.records(identity, at),
  );
  return listReply(describeInteractionPage(items), nextCursor);
}

/** What is claimed is given whole: a request that is larger than a page has one of its own. */
async function claimPending(
  query: PendingQuery & { readonly claim: ClaimRequest },
  waitMs: number,
  call: AdmittedCall,
) {
  const { identity } = call;
  const { queries } = call.tenant;
  const bounded = { ...query, bounds: INTERACTION_PAGE_BOUNDS, waitMs };
  const { items, nextCursor } = await waitForPendingInteractions(call, bounded, (at) =>
    queries.pending.records(identity, at),
  );
  const { reason } = call.signal();
  if (reason === CLIENT_CLOSED || reason === REQUEST_CANCELLED) await releaseClaims(items, query.claim, call);
  return listReply(items.map(describeInteractionWithRequest), nextCursor);
}

/** Releases claims whose reply has no client any more: they would hide their interactions until their leases end. */
async function releaseClaims(
  items: readonly { readonly interactionId: string }[],
  claimRequest: ClaimRequest,
  { identity, tenant: { claims } }: AdmittedCall,
): Promise<void> {
  const ended = { ...claimRequest, leaseMs: 0 };
  await Promise.allSettled(items.map(({ interactionId }) => claims.claim(identity, interactionId, ended)));
}

async function showOne(
  interactionId: string,
  { claim: claimRequest }: Input,
  { identity, tenant }: AdmittedCall,
) {
  const { claims, queries } = tenant;
  if (claimRequest !== undefined) await claims.claim(identity, interactionId, claimRequest);
  return listReply([describeInteractionWithRequest(await queries.interaction(identity, interactionId))]);
}

function listReply(interactions: object[], nextCursor?: string) {
  return {
    text: `${interactions.length} interaction${interactions.length === 1 ? '' : 's'}${nextCursor ? ', and more' : ''}.`,
    structured: { interactions, ...(nextCursor ? { nextCursor } : {}) },
    asks: true,
  };
}
