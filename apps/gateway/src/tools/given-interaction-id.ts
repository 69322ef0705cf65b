import {
  BatonError,
  formatInteractionId,
  isRecord,
  type JsonObject,
  parseInteractionId,
} from '@baton/protocol';
import type { Idempotency } from '@baton/store';
import type { RequestMeta, UnadmittedCall } from '../call/call.ts';
import type { ToolReply } from '../call/tool-reply.ts';
import { idempotencyFor } from './idempotency.ts';

/**
 * Ids that callers give their own requests (`interactionId` beside `delegatedCallDetails`, seed 1, step 2). Such an id is an idempotency key
 * of the principal: it names the first request of the task that it opened, for as long as the task's record lives, and for
 * nobody else.
 */
const NAMESPACE = 'agent_llm interactionId';

/** The key of a request with an id of its caller's. Errors: `invalid_arguments` for one that Baton could give out, or beside another key. */
export async function idempotencyOfGivenId(
  given: string,
  input: unknown,
  meta: RequestMeta,
  call: UnadmittedCall,
): Promise<Idempotency> {
  const { principal } = await call.admit();
  const refuse = (message: string) =>
    new BatonError('invalid_arguments', message, { field: 'interactionId' });
  if (parseInteractionId(given) !== undefined)
    throw refuse(
      'interactionId: has the form of the ids that Baton gives out. Leave it out, or give another, such as a random UUID.',
    );
  if (meta['baton/idempotencyKey'] !== undefined)
    throw refuse(
      'interactionId: is the idempotency key of a request that it names. Leave out one of it and _meta["baton/idempotencyKey"].',
    );
  return idempotencyFor(principal, NAMESPACE, given, input);
}

/** The interaction that an answer is for: the one that this principal has given the id to, otherwise the id as it is. */
export async function resolveGivenId(id: string, call: UnadmittedCall): Promise<string> {
  if (parseInteractionId(id) !== undefined) return id;
  const { principal } = await call.admit();
  const taskId = await call.tenant.tasks.findByKey(idempotencyFor(principal, NAMESPACE, id, null).key);
  return taskId === undefined ? id : formatInteractionId(taskId, 1);
}

/** The directive of the request under the id that its caller gave it; Baton's own, by which everyone else knows it, is beside. */
export function withGivenId(reply: ToolReply, given: string): ToolReply {
  const { structured, taskId } = reply;
  const { interactionId, pendingInteractionSignalToAgent: signal } = structured as JsonObject;
  if (taskId === undefined || interactionId !== formatInteractionId(taskId, 1) || !isRecord(signal))
    return reply;
  const named = {
    ...structured,
    interactionId: given,
    pendingInteractionSignalToAgent: { ...signal, interactionId: given },
    assignedInteractionId: interactionId,
  };
  return { ...reply, structured: named };
}
