import { booleanOrText, delegatedCallOperation, integerOrDigits } from '@baton/operations';
import {
  agentResponseSchema,
  DEFAULT_WAIT_MS,
  delegatedCallDetailsSchema,
  type DelegatedCallDetails,
  type JsonObject,
  MAX_WAIT_MS,
  orJsonText,
} from '@baton/protocol';
import { z } from 'zod';
import {
  MCP_OR_AGENT_SCOPE,
  MCP_SCOPE,
  scriptAdmittedAnswerAccess,
  scriptAdmittedAccess,
} from '../call/access.ts';
import type { RequestMeta, UnadmittedCall } from '../call/call.ts';
import { answerConfirmationSchema } from '../delegation/answers/answer-confirmation.ts';
import type { ToolReply } from '../call/tool-reply.ts';
import { acceptAnswerOrChunk } from '../delegation/answers/accept-answer-or-chunk.ts';
import { validateClientJsonSchema } from '../delegation/client-json-schema.ts';
import { idempotencyOfGivenId, resolveGivenId, withGivenId } from './given-interaction-id.ts';
import { operationReplySchemas, startOperation, startOperationForTool } from './start-operation.ts';
import { defineScriptAdmittedTool } from './tool.ts';

const input = z
  .strictObject({
    interactionId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'The interaction that is answered; with delegatedCallDetails an id of your own for the request',
      ),
    agentLLMResponse: orJsonText(agentResponseSchema).optional().describe('What came of the LLM call'),
    delegatedCallDetails: orJsonText(delegatedCallDetailsSchema)
      .optional()
      .describe('Instead of a response: opens an interaction for a request of your own'),
    projectRoot: z.string().max(1024).optional().describe('Accepted as a courtesy of agents; never compared'),
    waitMs: integerOrDigits(z.int().min(0).max(MAX_WAIT_MS))
      .default(DEFAULT_WAIT_MS)
      .describe('How long to wait for the outcome, in milliseconds'),
    repeat: booleanOrText(
      'After an answer that does not fit: the whole request again; by default only what is wrong, and what to answer under',
    ),
  })
  .superRefine((value, context) => {
    const answering = value.agentLLMResponse !== undefined;
    const opening = value.delegatedCallDetails !== undefined;
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (answering === opening) {
      refuse('agentLLMResponse', 'give exactly one of agentLLMResponse and delegatedCallDetails');
    } else if (answering && value.interactionId === undefined) {
      refuse('interactionId', 'is required with agentLLMResponse');
    }
  });

/** The delegation channel of seed 1: answers an interaction, or opens one. */
export const agentLlmTool = defineScriptAdmittedTool({
  name: 'agent_llm',
  title: 'Answer a delegated LLM request',
  category: 'delegation',
  description:
    'Posts the outcome of an LLM call that Baton asked for (interactionId and agentLLMResponse), and waits up to waitMs ' +
    'for what comes of it: the finished result, or the next request. Posting the same answer again is safe.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  isLong: true,
  access: scriptAdmittedAccess(MCP_OR_AGENT_SCOPE),
  accessFor: ({ agentLLMResponse, interactionId }) => {
    if (agentLLMResponse === undefined) return scriptAdmittedAccess(MCP_SCOPE);
    if (agentLLMResponse.status === 'streaming') return scriptAdmittedAccess(MCP_OR_AGENT_SCOPE);
    return scriptAdmittedAnswerAccess(interactionId);
  },
  input,
  output: [answerConfirmationSchema, ...operationReplySchemas(delegatedCallOperation)],
  run: async (given, call, meta) => {
    const { interactionId, agentLLMResponse, delegatedCallDetails: details, waitMs, repeat = false } = given;
    if (details !== undefined) return openInteraction(details, interactionId, call, meta);
    if (interactionId === undefined || agentLLMResponse === undefined)
      throw new Error('refused by the schema');
    const answered = await resolveGivenId(interactionId, call);
    const reply = await acceptAnswerOrChunk(answered, agentLLMResponse, { waitMs, repeat }, call);
    return answered === interactionId
      ? reply
      : { ...reply, structured: { ...reply.structured, interactionId } };
  },
});

async function openInteraction(
  details: DelegatedCallDetails,
  given: string | undefined,
  call: UnadmittedCall,
  meta: RequestMeta,
): Promise<ToolReply> {
  const { schema } = details.requestParameters;
  if (schema !== undefined) {
    await call.admit();
    await validateClientJsonSchema(call.services.answerValidator, call.tenant.id, schema as JsonObject);
  }
  const request = details as unknown as JsonObject;
  if (given === undefined) return startOperationForTool(delegatedCallOperation, request, call, meta);
  const idempotency = await idempotencyOfGivenId(given, request, meta, call);
  return withGivenId(await startOperation(delegatedCallOperation, request, call, idempotency), given);
}
