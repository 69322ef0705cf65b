import { generateForCaller } from '@baton/engine';
import {
  type DelegatedCallDetails,
  delegatedCallDetailsSchema,
  isRecord,
  type JsonObject,
  type Message,
} from '@baton/protocol';
import { z } from 'zod';
import type { Operation } from '../definition/operation.ts';

const delegatedCallResult = z.looseObject({ originalCommand: z.string(), response: z.unknown() });

/** What may come with an answer and is passed on as it came. */
const BESIDE = ['content', 'logprobs', 'model', 'usage'];
/** A `content` that is a text, as in OpenAI's messages, is the response itself. */
const isBeside = ([name, value]: [string, unknown]) =>
  BESIDE.includes(name) && value !== null && !(name === 'content' && typeof value === 'string');

/**
 * The request that a caller brings itself (`delegatedCallDetails` of `agent_llm`): delegated as it came, its answer
 * checked against the schema that it came with. No tool of its own starts it.
 */
export const delegatedCallOperation: Operation<DelegatedCallDetails, z.infer<typeof delegatedCallResult>> = {
  name: 'delegated_call',
  version: 1,
  title: 'Delegate an LLM call',
  category: 'delegation',
  description: 'Delegates an LLM request of the caller to the agent and returns its answer.',
  input: delegatedCallDetailsSchema,
  result: delegatedCallResult,
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: false },

  *run({ originalCommand, role, serviceType, requestParameters }) {
    const { modelId, messages, maxTokens, temperature, ...parameters } = requestParameters;
    const { schema } = parameters;
    const { response, data, toolCalls } = yield* generateForCaller({
      role,
      serviceType,
      ...(modelId === undefined ? {} : { modelId }),
      messages: messages as readonly Message[],
      summary: `Call of ${originalCommand}`,
      parameters: parameters as JsonObject,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(schema === undefined ? {} : { schema: schema as JsonObject }),
    });
    const given = isRecord(data) ? Object.entries(data) : [];
    return {
      originalCommand,
      response,
      ...Object.fromEntries(given.filter(isBeside)),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    };
  },

  summarize: ({ originalCommand }) => `The delegated call of ${originalCommand} was answered.`,
};
