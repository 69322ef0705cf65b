import { hash } from 'node:crypto';
import {
  type AgentAnswer,
  type AgentResponse,
  type AnswerUsage,
  canonicalJson,
  readAnswerUsage,
} from '@baton/protocol';
import { type Accepted, ON_STREAM, refusalError } from '@baton/store';
import { checkAgainstChunks, mayBeStreamed } from '../../streaming/answer-chunks.ts';
import type { UnadmittedCall } from '../../call/call.ts';

/** An answer that was taken, and what of its usage does not count. */
export type AcceptedAnswer = Accepted & { readonly warning: string | undefined };

/** Answers by their interactions. */
export type AnswersById = ReadonlyMap<string, AgentAnswer>;

/** How an answer came. */
interface AnswerOrigin {
  /** In a call, or as the response to a request that a stream carried. */
  readonly via?: 'call' | 'stream';
  /** Those that came with it, to other interactions of its task. */
  readonly beside?: AnswersById;
}

/** So often an answer is held against chunks that came while it was accepted. */
const MAX_CHECKS = 3;

/**
 * Accepts an answer; one that may end a stream is held against the chunks, if there are any. `channel`, an inbox's, is notified of what
 * comes of it. Errors: every refusal of ACCEPT_ANSWER; `interaction_already_answered`, too, of an interaction beside it that this principal has
 * answered otherwise.
 */
export async function acceptAnswer(
  interactionId: string,
  response: AgentAnswer,
  channel: string,
  call: UnadmittedCall,
  origin: AnswerOrigin = {},
): Promise<AcceptedAnswer> {
  const usage = readAnswerUsage(response);
  const accepted = await acceptWithUsage({ interactionId, response, usage, channel, origin }, call);
  const { taskId, waitedMs, traceparent } = accepted;
  if (waitedMs !== undefined && traceparent !== undefined)
    call.trace?.recordWait({ traceparent, taskId, interactionId, waitedMs });
  return { ...accepted, warning: usage.problem };
}

interface PostedAnswer {
  readonly interactionId: string;
  readonly response: AgentAnswer;
  readonly usage: AnswerUsage;
  readonly channel: string;
  readonly origin: AnswerOrigin;
}

async function acceptWithUsage(
  { interactionId, response, usage, channel, origin: { via, beside } }: PostedAnswer,
  call: UnadmittedCall,
): Promise<Accepted> {
  const { interactions } = call.tenant;
  // Of what was posted: the chunks are gone once they were joined, and the same may be posted again.
  const fingerprint = fingerprintOf(response, via);
  const others = [...(beside ?? [])].map(([id, answer]) => ({
    interactionId: id,
    fingerprint: fingerprintOf(answer),
  }));
  const posted = { interactionId, fingerprint, beside: others, channel, usage };
  const text = answerText(response, interactionId);
  if (!mayBeStreamed(response))
    return requireAccepted(await interactions.accept(call.caller, { ...posted, text }));
  let accepted = await interactions.accept(call.caller, { ...posted, text, checked: '' });
  for (let checks = 0; accepted === 'streamed' && checks < MAX_CHECKS; checks++) {
    const { answer, checked } = await checkAgainstChunks(call, interactionId, response);
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

/** Two answers are the same when their canonical JSON is, whichever way they came: the mark of a stream is not compared. */
function fingerprintOf(answer: AgentResponse, via: AnswerOrigin['via'] = 'call'): string {
  const digest = hash('sha256', canonicalJson(answer), 'base64url');
  return `${via === 'stream' ? ON_STREAM : ''}${digest}`.slice(0, FINGERPRINT_LENGTH);
}

const FINGERPRINT_LENGTH = 22;
