import { describeZodError } from '@baton/engine';
import { type AgentAnswer, BatonError, isRecord, parseInteractionId } from '@baton/protocol';
import { scriptAdmittedAnswerAccess, deferAdmission } from '../../call/access.ts';
import type { Call } from '../../call/call.ts';
import { refusalError } from '@baton/store';
import { methodOfResult, readClientResult } from './client-result.ts';
import { acceptAnswer } from '../../delegation/answers/accept-answer.ts';

/** A client's response to a request that it got on a stream. */
export interface ClientResponse {
  /** As it came, as far as it is read. */
  readonly id: string;
  /** Its id, where that is an interaction's: nothing else is asked of clients. */
  readonly interactionId: string | undefined;
  readonly result?: unknown;
  readonly error?: unknown;
}

const MAX_ID_LENGTH = 200;

/** The response that a message is; undefined for any other message. */
export function readClientResponse(message: unknown): ClientResponse | undefined {
  if (!isRecord(message) || 'method' in message || !('result' in message || 'error' in message))
    return undefined;
  const { id, result, error } = message;
  const interactionId = typeof id === 'string' && parseInteractionId(id) !== undefined ? id : undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  const response = { id: isId ? `${id}`.slice(0, MAX_ID_LENGTH) : '', interactionId };
  return 'result' in message ? { ...response, result } : { ...response, error };
}

/**
 * Takes a response as the answer to its interaction, on any replica; what comes of it is told on the stream that asked. The same response again
 * changes nothing. Errors: `interaction_not_found` for a response to nothing that was asked, `invalid_arguments` for a result that is none of the request's method; the refusals of
 * ACCEPT_ANSWER.
 */
export async function acceptResponse(response: ClientResponse, call: Call): Promise<void> {
  const { interactionId } = response;
  if (interactionId === undefined)
    throw refusalError(['interaction_not_found'], { interactionId: response.id });
  const unadmitted = deferAdmission(call, scriptAdmittedAnswerAccess(interactionId));
  const answer = readAnswer(interactionId, response);
  const accepted = await acceptAnswer(interactionId, answer, '', unadmitted, { via: 'stream' });
  const { taskId, replayed, waitedMs } = accepted;
  call.logEvent('answered', { taskId, interactionId, replayed, waitedMs });
}

function readAnswer(id: string, { result, error }: ClientResponse): AgentAnswer {
  if (error !== undefined) {
    const { message, code } = isRecord(error) ? error : {};
    const said = typeof message === 'string' && message !== '' ? message : 'The client gave no reason.';
    const type = typeof code === 'number' ? { type: String(code) } : {};
    return { status: 'error', errorDetails: { message: said.slice(0, MAX_MESSAGE), ...type } };
  }
  // Each method's result is known by its form; one of the other method is asked for again as an answer that does not fit.
  const read = readClientResult(methodOfResult(result), result);
  if (read.ok) return read.answer;
  const message = `The result of request ${id}: ${describeZodError(read.problem)}. It is what the request's method results in.`;
  throw new BatonError('invalid_arguments', message, { field: 'result', interactionId: id });
}

/** As long as an error that an agent posts may be. */
const MAX_MESSAGE = 20_000;
