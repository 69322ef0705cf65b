import { isRecord, orJsonText } from '@baton/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ANY_MCP_CALLER, scriptAdmittedAnswerAccess } from '../../call/access.ts';
import type { Access, Call, Services } from '../../call/call.ts';
import { readClientResponse } from '../client-requests/client-response.ts';
import { keyOf } from '../../edge/credential.ts';
import { logEventsOf } from '../../edge/event-log.ts';

/** A call of the request's caller. */
export function createMcpCall(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { bodyBytes, bodyWeight }: Pick<FastifyRequest, 'bodyBytes' | 'bodyWeight'> = request,
): Call {
  const key = keyOf(request);
  const tenant = services.store.tenant(key.tenant);
  const caller = tenant.caller(key, bodyBytes, bodyWeight);
  caller.traceparent = request.trace?.traceparent ?? '';
  return {
    services,
    tenant,
    caller,
    signal: services.inflightWaits.signalFor(reply),
    logEvent: logEventsOf(request, reply, caller),
    trace: request.trace ?? undefined,
  };
}

/** What a message is admitted as before its method or tool is known to be one. */
export function messageAccess(message: unknown): Access {
  const answerTo = answeredInteraction(message);
  return answerTo === undefined ? ANY_MCP_CALLER : scriptAdmittedAnswerAccess(answerTo);
}

/** The interaction that a message answers; undefined for any other message, and for one with a chunk of an answer. */
function answeredInteraction(message: unknown): string | undefined {
  const response = readClientResponse(message);
  if (response !== undefined) return response.interactionId;
  const { method, params } = (message ?? {}) as {
    method?: unknown;
    params?: { name?: unknown; arguments?: { interactionId?: unknown; agentLLMResponse?: unknown } };
  };
  if (method !== 'tools/call' || params?.name !== 'agent_llm') return;
  const { interactionId, agentLLMResponse } = params.arguments ?? {};
  if (agentLLMResponse === undefined || typeof interactionId !== 'string') return;
  return isChunk(agentLLMResponse) ? undefined : interactionId;
}

const responseOrText = orJsonText(z.unknown());

function isChunk(agentLLMResponse: unknown): boolean {
  const { data } = responseOrText.safeParse(agentLLMResponse);
  return isRecord(data) && data['status'] === 'streaming';
}
