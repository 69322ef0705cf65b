import { hash } from 'node:crypto';
import {
  type AgentResponse,
  BatonError,
  canonicalJson,
  parseInteractionId,
  readAnswerUsage,
} from '@baton/protocol';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { UnadmittedCall } from '../call/call.ts';
import type { ToolReply } from './tool-reply.ts';
import type { AnswerConfirmation } from './answer-confirmation.ts';
import { contentBlocksOf } from './content-blocks.ts';
import { type TaskOutcome, outcomeOf } from './task-outcome.ts';
import { joinAnswerChunks } from './answer-chunks.ts';
import { waitUntilTaskEndsOrParks } from './wait-until-task-ends-or-parks.ts';

/**
 * Takes what came of an LLM call: an answer, whose outcome is waited for, or a chunk of one, which never waits.
 * Errors: every refusal of ACCEPT_ANSWER and CHUNK.
 */
export async function acceptAnswerOrChunk(
  interactionId: string,
  response: AgentResponse,
  waitMs: number,
  call: UnadmittedCall,
): Promise<ToolReply> {
  if (response.status === 'streaming') return postChunk(interactionId, response, call);
  const { interactions } = call.tenant;
  const complete = await joinAnswerChunks(call, interactionId, response);
  const { inbox } = call.services.store;
  const identity = call.caller.heldIdentity();
  const subscription = inbox.subscribe(interactions.topicOf(interactionId), identity.admittedBy);
  const usage = readAnswerUsage(complete);
  try {
    const accepted = await interactions.accept(call.caller, {
      interactionId,
      text: JSON.stringify(complete),
      // Of what was posted: the chunks are gone once they were joined, and the same may be posted again.
      fingerprint: fingerprintOf(response),
      channel: waitMs > 0 ? inbox.channel : '',
      usage,
    });
    const { taskId, event, replayed } = accepted;
    const wait = { event, waitMs, registered: !replayed };
    const view = await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
    const outcome = outcomeOf(view);
    const text = `The answer is taken; the task is ${outcome.status}.`;
    const blocks = contentBlocksOf(outcome.result);
    return confirmation({ interactionId, taskId, replayed, outcome, warning: usage.problem }, text, blocks);
  } finally {
    subscription.close();
  }
}

async function postChunk(
  interactionId: string,
  { sequence, delta }: Extract<AgentResponse, { status: 'streaming' }>,
  call: UnadmittedCall,
): Promise<ToolReply> {
  const identity = await call.admit();
  const { request } = await call.tenant.queries.interactionSummary(identity, interactionId);
  if (request.kind !== 'llm' || request.call.serviceType !== 'streamText') {
    const message = `agentLLMResponse.status: chunks are for streamText requests; interaction '${interactionId}' is none, answer it at once`;
    throw new BatonError('invalid_arguments', message, { field: 'agentLLMResponse.status', interactionId });
  }
  const appended = await call.tenant.interactions.appendChunk(call.caller, {
    interactionId,
    sequence,
    delta,
  });
  const taskId = parseInteractionId(interactionId)?.taskId ?? '';
  const outcome = { status: 'input_required' as const };
  const text = `Chunk ${sequence} is kept; the interaction waits for the rest.`;
  return confirmation({ interactionId, taskId, replayed: appended === 'replayed', outcome }, text);
}

interface ConfirmedAnswer {
  readonly interactionId: string;
  readonly taskId: string;
  readonly replayed: boolean;
  readonly outcome: TaskOutcome;
  readonly warning?: string | undefined;
}

function confirmation(
  { interactionId, taskId, replayed, outcome, warning }: ConfirmedAnswer,
  text: string,
  blocks: readonly ContentBlock[] = [],
): ToolReply {
  const status = 'agent_response_processed_by_taskmaster';
  const structured: AnswerConfirmation = replayed
    ? { status, interactionId, taskId, replayed, outcome: { ...outcome } }
    : { status, interactionId, taskId, outcome: { ...outcome } };
  if (warning !== undefined) structured.warning = warning;
  return { text, structured, taskId, textIncludesJson: true, blocks };
}

/** Two answers are the same when their canonical JSON is equal. */
function fingerprintOf(answer: AgentResponse): string {
  return hash('sha256', canonicalJson(answer), 'base64url').slice(0, 22);
}
