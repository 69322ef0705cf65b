import { type AgentResponse, parseInteractionId, truncate } from '@baton/protocol';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { UnadmittedCall } from '../../call/call.ts';
import type { ToolReply } from '../../call/tool-reply.ts';
import { acceptAnswer } from './accept-answer.ts';
import type { AnswerConfirmation } from './answer-confirmation.ts';
import { contentBlocksOf } from '../content-blocks.ts';
import { findRejection, outcomeOfRejection, rejectionText } from './rejected-answer.ts';
import { type TaskOutcome, outcomeOf } from '../task-outcome.ts';
import { waitUntilTaskEndsOrParks } from '../wait-until-task-ends-or-parks.ts';

/**
 * Takes what came of an LLM call: an answer, whose outcome is waited for, or a chunk of one, which never waits.
 * Errors: every refusal of ACCEPT_ANSWER and CHUNK.
 */
export async function acceptAnswerOrChunk(
  interactionId: string,
  response: AgentResponse,
  { waitMs, repeat }: { readonly waitMs: number; readonly repeat: boolean },
  call: UnadmittedCall,
): Promise<ToolReply> {
  if (response.status === 'streaming') return postChunk(interactionId, response, call);
  const { inbox } = call.services.store;
  const identity = call.caller.heldIdentity();
  const topic = call.tenant.interactions.topicOf(interactionId);
  const subscription = inbox.subscribe(topic, identity.admittedBy);
  try {
    const accepted = await acceptAnswer(interactionId, response, waitMs > 0 ? inbox.channel : '', call);
    const { taskId, event, replayed, waitedMs, warning } = accepted;
    const wait = { event, waitMs, registered: !replayed };
    const view = await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
    const rejection = await findRejection(call, identity, view, interactionId);
    const outcome = rejection === undefined ? outcomeOf(view) : outcomeOfRejection(view, rejection, repeat);
    const text = rejection === undefined ? takenText(outcome) : rejectionText(rejection, repeat);
    const blocks = contentBlocksOf(outcome.result);
    call.logEvent('answered', { taskId, interactionId, status: outcome.status, replayed, waitedMs });
    return confirmation({ interactionId, taskId, replayed, outcome, warning }, text, blocks);
  } finally {
    subscription.close();
  }
}

function takenText({ status, error, waitsForRoom }: TaskOutcome): string {
  const reason = error?.message ?? waitsForRoom?.message;
  const why = reason === undefined ? '' : `: ${truncate(reason, MAX_ERROR_TEXT)}`;
  return `The answer is taken; the task is ${status}${why}${why.endsWith('.') ? '' : '.'}`;
}

/** An error stands whole in the structured content. */
const MAX_ERROR_TEXT = 1_000;

async function postChunk(
  interactionId: string,
  { stream = 0, sequence, delta }: Extract<AgentResponse, { status: 'streaming' }>,
  call: UnadmittedCall,
): Promise<ToolReply> {
  const chunk = { interactionId, stream, sequence, delta };
  const appended = await call.tenant.interactions.appendChunk(call.caller, chunk);
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
  return { text, structured, taskId, asks: outcome.pending !== undefined, blocks };
}
