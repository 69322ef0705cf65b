import { describeZodError } from '@baton/engine';
import {
  type AgentAnswer,
  BatonError,
  fromElicitResult,
  fromSamplingResult,
  isRecord,
} from '@baton/protocol';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import type { ClientRequest } from '../../client-requests/client-requests.ts';

/**
 * The answers among `inputResponses` to what was asked, by interaction; `askedBy`: by which method. What was not asked is left out (MCP 2026-07-28, basic/patterns/mrtr: a
 * server ignores it). Errors: -32602 naming the response that is none to its request.
 */
export function readInputResponses(
  given: unknown,
  askedBy: (interactionId: string) => ClientRequest['method'] | undefined,
): ReadonlyMap<string, AgentAnswer> {
  const answers = new Map<string, AgentAnswer>();
  if (given === undefined) return answers;
  if (!isRecord(given)) throw refusedResponse('inputResponses', 'must be an object');
  for (const [key, response] of Object.entries(given)) {
    const method = askedBy(key);
    if (method === undefined) continue;
    const read = method === 'elicitation/create' ? fromElicitResult(response) : fromSamplingResult(response);
    if (!read.ok) throw refusedResponse(`inputResponses.${key}`, describeZodError(read.problem));
    answers.set(key, read.answer);
  }
  return answers;
}

function refusedResponse(field: string, problem: string): RpcError {
  const message = `${field}: ${problem}. It is the result of the request under the same key, as its method has it.`;
  return RpcError.of(new BatonError('invalid_arguments', message, { field }));
}
