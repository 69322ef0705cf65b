import { hash } from 'node:crypto';
import {
  type AgentAnswer,
  type AgentResponse,
  type AnswerUsage,
  canonicalJson,
  parseInteractionId,
  readAnswerUsage,
  truncate,
} from '@baton/protocol';
import { type Accepted, refusalError } from '@baton/store';
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { UnadmittedCall } from '../../call/call.ts';
import type { ToolReply } from '../tool-reply.ts';
import type { AnswerConfirmation } from './answer-confirmation.ts';
import { contentBlocksOf } from '../content-blocks.ts';
import { findRejection, outcomeOfRejection, rejectionText } from './rejected-answer.ts';
import { type TaskOutcome, outcomeOf } from '../task-outcome.ts';
import { holdAgainstChunks, mayBeStreamed } from '../../streaming/answer-chunks.ts';
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
  const usage = readAnswerUsage(response);
  try {
    const accepted = await acceptAnswer(
      interactionId,
      response,
      usage,
      waitMs > 0 ? inbox.channel : '',
      call,
    );
    const { taskId, event, replayed, waitedMs, traceparent } = accepted;
    if (waitedMs !== undefined && traceparent !== undefined)
      call.trace?.recordWait({ traceparent, taskId, interactionId, waitedMs });
    const wait = { event, waitMs, registered: !replayed };
    const view = await waitUntilTaskEndsOrParks(call, taskId, subscription, identity, wait);
    const rejection = await findRejection(call, identity, view, interactionId);
    const outcome = rejection === undefined ? outcomeOf(view) : outcomeOfRejection(view, rejection, repeat);
    const text = rejection === undefined ? takenText(outcome) : rejectionText(rejection, repeat);
    const blocks = contentBlocksOf(outcome.result);
    call.logEvent('answered', { taskId, interactionId, status: outcome.status, replayed, waitedMs });
    return confirmation({ interactionId, taskId, replayed, outcome, warning: usage.problem }, text, blocks);
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

/** So often an answer is held against chunks that came while it was accepted. */
const MAX_CHECKS = 3;

/** Accepts an answer; one that may end a stream is held against the chunks, if there are any. Errors: those of both. */
async function acceptAnswer(
  interactionId: string,
  response: AgentAnswer,
  usage: AnswerUsage,
  channel: string,
  call: UnadmittedCall,
): Promise<Accepted> {
  const { interactions } = call.tenant;
  // Of what was posted: the chunks are gone once they were joined, and the same may be posted again.
  const fingerprint = fingerprintOf(response);
  const posted = { interactionId, fingerprint, channel, usage };
  const text = answerText(response, interactionId);
  if (!mayBeStreamed(response))
    return requireAccepted(await interactions.accept(call.caller, { ...posted, text }));
  let accepted = await interactions.accept(call.caller, { ...posted, text, checked: '' });
  for (let checks = 0; accepted === 'streamed' && checks < MAX_CHECKS; checks++) {
    const { answer, checked } = await holdAgainstChunks(call, interactionId, response);
    accepted = await interactions.accept(call.caller, {
      ...posted,
      text: answerText(answer, interactionId),
      checked,
    });
  }
  return requireAccepted(accepted);
}

/** With the interaction that it answers, which the program names where it asks again (`Correction`). */
function answerText(answer: AgentAnswer, interactionId: string): string {
  return JSON.stringify(Object.assign({}, answer, { interactionId }));
}

function requireAccepted(accepted: Accepted | 'streamed'): Accepted {
  if (accepted === 'streamed') throw refusalError(['streamed']);
  return accepted;
}

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

/** Two answers are the same when their canonical JSON is equal. */
function fingerprintOf(answer: AgentResponse): string {
  return hash('sha256', canonicalJson(answer), 'base64url').slice(0, 22);
}
