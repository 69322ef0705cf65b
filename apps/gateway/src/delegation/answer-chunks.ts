import { type AgentAnswer, BatonError, isRecord, extractText } from '@baton/protocol';
import type { UnadmittedCall } from '../call/call.ts';

/**
 * The final success of a streamed answer may leave out its text: it is the chunks', in order. A gap leaves the
 * interaction pending. Errors: `invalid_arguments` naming the first chunk that is missing.
 */
export async function joinAnswerChunks(
  call: UnadmittedCall,
  interactionId: string,
  answer: AgentAnswer,
): Promise<AgentAnswer> {
  if (answer.status !== 'success' || !isRecord(answer.data) || hasOwnContent(answer.data)) return answer;
  const identity = await call.admit();
  // Ownership first: others must not learn even that there are chunks.
  await call.tenant.queries.interactionSummary(identity, interactionId);
  const joined = await call.tenant.interactions.joinChunks(interactionId);
  if (joined === undefined) return answer;
  if ('text' in joined) return { ...answer, data: { ...answer.data, text: joined.text } };
  const sequence = joined.missing;
  const message = `agentLLMResponse: chunk ${sequence} of the stream is missing; post it, then the final success again`;
  throw new BatonError('invalid_arguments', message, { field: 'agentLLMResponse', interactionId, sequence });
}

/** True for an answer with content of its own: the end of a stream has accounting and non-text fields only. */
function hasOwnContent(data: Record<string, unknown>): boolean {
  return extractText(data).ok || Object.keys(data).some((key) => !ACCOMPANYING_FIELDS.has(key));
}

const ACCOMPANYING_FIELDS = new Set(['usage', 'model', 'logprobs', 'content', 'toolCalls', 'tool_calls']);
