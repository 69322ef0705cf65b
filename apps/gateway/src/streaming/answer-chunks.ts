import { type AgentAnswer, BatonError, textAsSent, isRecord } from '@baton/protocol';
import type { UnadmittedCall } from '../call/call.ts';

/** An answer as it is to be accepted, and the state of the chunks that it was held against. */
export interface CheckedAnswer {
  readonly answer: AgentAnswer;
  readonly checked: string;
}

/**
 * Holds the final success of a streamed answer against its chunks: it may leave out its text, which is then theirs, and must not
 * differ from them. Its `stream` and `chunks`, where given, must be those of the chunks; a higher stream without chunks takes their
 * place, with all of its answer in `data`. The caller must have been admitted.
 * Errors: `invalid_arguments` naming the first chunk that is missing, or what differs; the interaction stays pending.
 */
export async function checkAgainstChunks(
  call: UnadmittedCall,
  interactionId: string,
  answer: Extract<AgentAnswer, { status: 'success' }>,
): Promise<CheckedAnswer> {
  const joined = await call.tenant.interactions.joinChunks(interactionId);
  const checked = joined.state;
  if (joined.chunks === 0) return { answer, checked };
  const { stream = 0 } = answer;
  if (stream > joined.stream && answer.chunks === 0) return { answer, checked };
  const refuse = (field: string, problem: string, facts: object = {}) => {
    const message = `${field}: ${problem}`;
    const details = { field, interactionId, stream: joined.stream, ...facts };
    throw new BatonError('invalid_arguments', message, details);
  };
  if (answer.stream !== undefined && answer.stream !== joined.stream)
    refuse('agentLLMResponse.stream', `the chunks that count are those of stream ${joined.stream}`);
  const missing = 'missing' in joined ? joined.missing : joined.chunks;
  if ('missing' in joined || (answer.chunks !== undefined && answer.chunks > joined.chunks)) {
    const problem = `chunk ${missing} of the stream is missing; post it, then the final success again`;
    return refuse('agentLLMResponse', problem, { sequence: missing }) as never;
  }
  if (answer.chunks !== undefined && answer.chunks < joined.chunks)
    refuse(
      'agentLLMResponse.chunks',
      `stream ${joined.stream} has ${joined.chunks} chunks, not ${answer.chunks}`,
    );
  const own = textAsSent(answer.data);
  if (!own.ok) {
    const data = isRecord(answer.data) ? answer.data : {};
    return { answer: { ...answer, data: { ...data, text: joined.text } }, checked };
  }
  if (own.value !== joined.text) {
    const at = firstDifference(own.value, joined.text);
    const problem =
      `differs from the text of the ${joined.chunks} chunks at character ${at}. Leave the text out to answer with the chunks', ` +
      `or post the whole answer with stream ${joined.stream + 1} and chunks 0`;
    refuse('agentLLMResponse.data.text', problem);
  }
  return { answer, checked };
}

/** True for an answer that chunks may have a part in: every success but a parsed object. */
export function mayBeStreamed(answer: AgentAnswer): answer is Extract<AgentAnswer, { status: 'success' }> {
  if (answer.status !== 'success') return false;
  return !isRecord(answer.data) || (answer.data['object'] ?? null) === null;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
