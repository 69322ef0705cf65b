import { describeZodError } from '@baton/engine';
import { type AgentAnswer, BatonError, isRecord } from '@baton/protocol';
import { RpcError } from '../../../json-rpc/rpc-error.ts';
import type { ClientRequest } from '../../client-requests/client-requests.ts';
import { readClientResult } from '../../client-requests/client-result.ts';

/** A request that a response answers. */
export interface AskedRequest {
  readonly interactionId: string;
  readonly method: ClientRequest['method'];
}

/**
 * The answers among `inputResponses` to what was asked, by interaction; `askedUnder`: what was asked under a key. What was not asked is left out (MCP 2026-07-28, basic/patterns/mrtr: a
 * server ignores it). Errors: -32602 naming the response that is none to its request.
 */
export function readInputResponses(
  given: unknown,
  askedUnder: (key: string) => AskedRequest | undefined,
): ReadonlyMap<string, AgentAnswer> {
  const answers = new Map<string, AgentAnswer>();
  if (given === undefined) return answers;
  if (!isRecord(given)) throw refusedResponse('inputResponses', 'must be an object');
  for (const [key, response] of Object.entries(given)) {
    const asked = askedUnder(key);
    if (asked === undefined) continue;
    const read = readClientResult(asked.method, response);
    if (!read.ok) throw refusedResponse(`inputResponses.${key}`, describeZodError(read.problem));
    answers.set(asked.interactionId, read.answer);
  }
  return answers;
}

function refusedResponse(field: string, problem: string): RpcError {
  const message = `${field}: ${problem}. It is the result of the request under the same key, as its method has it.`;
  return RpcError.of(new BatonError('invalid_arguments', message, { field }));
}
