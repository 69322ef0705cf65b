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

/** A question to a person. `key`: as a request's (`DelegatedCall`). */
export interface Question {
  readonly message: string;
  readonly schema: JsonObject;
  /** A few words for lists and errors. */
  readonly summary: string;
  readonly key?: string;
}

/**
 * Asks a person a question, whose reply is an object that fits `schema`; a reply that does not is asked for again. `schema`: flat, as MCP's
 * `requestedSchema`. Errors: `answer_invalid`, `agent_error`, `interaction_expired`.
 */
export function* askPerson({ key, ...question }: Question): Program<PersonReply> {
  return yield* replyOf(question, key === undefined ? {} : { key });
}

/** A directory that a client works in (MCP, client/roots). */
export interface Root {
  readonly uri: string;
  readonly name?: string;
}

const ROOTS_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    roots: {
      type: 'array',
      items: {
        type: 'object',
        properties: { uri: { type: 'string', pattern: '^file://' }, name: { type: 'string' } },
        required: ['uri'],
      },
    },
  },
  required: ['roots'],
};

/**
 * Asks for the directories that the client works in: a client that declared `roots` lists them, otherwise the person is asked. None
 * where the person gave none. Errors: as `askPerson`.
 */
export function* askRoots(key?: string): Program<readonly Root[]> {
  const message = 'Which directories do you work in? Give their URIs, which begin with file://.';
  const reply = yield* replyOf(
    { message, schema: ROOTS_SCHEMA, summary: 'Roots' },
    { method: 'roots/list', ...(key !== undefined && { key }) },
  );
  return reply.action === 'accept' ? (reply.content['roots'] as unknown as readonly Root[]) : [];
}

function* replyOf(
  { message, schema, summary }: Omit<Question, 'key'>,
  delivery: NonNullable<AgentCall<JsonObject>['delivery']>,
): Program<PersonReply> {
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
    delivery,
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

/** The type of an answer by which a client says that its person gave none. */
function refusalOf(thrown: unknown): 'decline' | 'cancel' | undefined {
  if (!(thrown instanceof BatonError) || thrown.code !== 'agent_error') return undefined;
  const details = thrown.details['errorDetails'];
  const type = isRecord(details) ? details['type'] : undefined;
  return type === 'decline' || type === 'cancel' ? type : undefined;
}
