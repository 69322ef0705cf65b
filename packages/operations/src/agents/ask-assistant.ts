import { readAgentCatalog, type Specialist } from '@baton/agent-definitions';
import { abandonTurn, beginTurn, endTurn, type History, type Program, runAgentCall } from '@baton/engine';
import { BatonError, isTaskId, type JsonObject, type Message } from '@baton/protocol';
import { z } from 'zod';
import type { Operation } from '../definition/operation.ts';
import { booleanOrText } from '../schema/coercion.ts';
import { agentCallFields, agentCallResult } from './agent-result.ts';
import { ownSettingsOf, systemMessageOf, wordsParser } from './agent-call-settings.ts';
import {
  CONTENT_DESCRIPTION,
  messageBlocksSchema,
  messageTextSchema,
  userMessage,
} from './message-content.ts';
import { specialistFunctions } from './specialist-functions.ts';

/** Room for what a person types, and a document beside it. */
export const MAX_MESSAGE_LENGTH = 100_000;

const input = z.strictObject({
  message: messageTextSchema.min(1).max(MAX_MESSAGE_LENGTH).describe('What the assistant is asked or told'),
  content: messageBlocksSchema.optional().describe(CONTENT_DESCRIPTION),
  conversationId: z
    .string()
    .min(1)
    .max(100)
    .refine(isTaskId, 'must be the id of a conversation, as an earlier result gave it')
    .optional()
    .describe('Goes on with this conversation; without it a new one begins'),
  stream: booleanOrText('Has the answer come in chunks, which task_status shows as they come'),
});
type Input = z.infer<typeof input>;

const result = z.looseObject({ conversationId: z.string(), agentId: z.string(), ...agentCallFields });

/** The tenant's primary agent with its specialists as functions, in a conversation that goes on from call to call. */
export const askAssistantOperation: Operation<Input, z.infer<typeof result>> = {
  name: 'ask_assistant',
  version: 1,
  title: 'Ask the assistant',
  category: 'agents',
  description:
    "Gives a message to the tenant's assistant, which may call its specialist agents, and returns its answer. " +
    'With conversationId the conversation goes on; messages to one conversation are answered one after another.',
  input,
  result,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },

  run: takeTurn,

  summarize: ({ response }) => String(response),
};

function* takeTurn({ message, content, conversationId, stream }: Input): Program<JsonObject> {
  const history = conversationId === undefined ? undefined : yield* beginTurn(conversationId);
  try {
    return yield* answerTurn(userMessage(message, content), history, stream === true);
  } catch (thrown) {
    // The conversation stays as it was, and the next message gets its turn.
    if (history !== undefined && thrown instanceof BatonError) yield* abandonTurn(history);
    throw thrown;
  }
}

function* answerTurn(asked: Message, history: History | undefined, stream: boolean): Program<JsonObject> {
  const { primary, specialists } = yield* readAgentCatalog();
  if (primary === null) {
    const message = 'There is no primary agent. Store one first: PUT /v1/agents/{id} with "isPrimary": true.';
    throw new BatonError('agent_not_found', message);
  }
  const callable = callableBy(primary, specialists);
  const outcome = yield* runAgentCall({
    ...ownSettingsOf(primary),
    messages: [systemMessageOf(primary), asked],
    summary: `Message to ${primary.name}`,
    parser: wordsParser,
    ...(stream ? { serviceType: 'streamText' as const } : {}),
    ...(callable.length === 0 ? {} : { functions: specialistFunctions(callable) }),
    delivery: { agentId: primary.id, ...(history === undefined ? {} : { history }) },
  });
  const conversationId = yield* endTurn(history, [asked, ...withOwnIds(outcome.added, history?.to ?? 0)]);
  const ended = agentCallResult(outcome, `agent:${primary.id}`, [asked]);
  return { conversationId, agentId: primary.id, ...ended } as unknown as JsonObject;
}

/** The specialists that an agent may call: those of its group, or all where it names none. */
export function callableBy(
  { id, group }: { readonly id: string; readonly group?: readonly string[] | undefined },
  specialists: readonly Specialist[],
): readonly Specialist[] {
  return specialists.filter((one) => one.id !== id && (group?.includes(one.id) ?? true));
}

/**
 * The messages of a turn as its conversation keeps them, with ids of function calls that no other turn has, and no later one may get:
 * models number the calls of each answer from the beginning, and endpoints refuse a dialog that repeats an id. `first` is the number of the turn's first message.
 */
function withOwnIds(messages: readonly Message[], first: number): readonly Message[] {
  const own = (id: string) => `${id}_t${first}`;
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, tool_call_id: own(message.tool_call_id) };
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    return { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, id: own(call.id) })) };
  });
}
