import { BatonError, isRecord, type JsonObject } from '@baton/protocol';
import { checkAnswer, type Program } from '../program/effect.ts';
import type { AgentCall } from './agent-call.ts';
import { runAgentCall } from './run-agent-call.ts';

/** What a person did with a question (MCP, client/elicitation): filled it in, said no, or left it. */
export type PersonReply =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** Whoever conveys a question for a client without elicitation may be a model, which is told what it is. */
const CONVEY =
  'This is a question to the person you work for. Put it to them, and give what they say. Do not answer in their place.';

/**
 * Asks a person a question, whose reply is an object that fits `schema`; a reply that does not is asked for again. `schema`: flat, as MCP's
 * `requestedSchema`. Errors: `answer_invalid`, `agent_error`, `interaction_expired`.
 */
export function* askPerson({
  message,
  schema,
  summary,
}: {
  readonly message: string;
  readonly schema: JsonObject;
  readonly summary: string;
}): Program<PersonReply> {
  const call: AgentCall<JsonObject> = {
    role: 'person',
    messages: [
      { role: 'system', content: CONVEY },
      { role: 'user', content: message },
    ],
    summary,
    parser: {
      parameters: { schema, objectName: 'reply' },
      *read(data) {
        const read = yield* checkAnswer(schema, data);
        if (!read.ok || isRecord(read.value)) return read as typeof read & { value: JsonObject };
        return { ok: false, problem: 'the reply is no object' };
      },
    },
  };
  try {
    const { value } = yield* runAgentCall(call);
    return { action: 'accept', content: value };
  } catch (thrown) {
    const action = refusalOf(thrown);
    if (action === undefined) throw thrown;
    return { action };
  }
}

/** The types of answers by which a client says that its person gave none. */
const REFUSALS = new Set(['decline', 'cancel']);

function refusalOf(thrown: unknown): 'decline' | 'cancel' | undefined {
  if (!(thrown instanceof BatonError) || thrown.code !== 'agent_error') return undefined;
  const details = thrown.details['errorDetails'];
  const type = isRecord(details) ? details['type'] : undefined;
  return REFUSALS.has(String(type)) ? (type as 'decline' | 'cancel') : undefined;
}
