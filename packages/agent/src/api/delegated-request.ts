import { type DelegatedCall, directiveSchema, type LlmRequest } from '@baton/protocol';

/** A request that Baton delegates, as it is given to whoever answers it. */
export interface DelegatedRequest extends DelegatedCall {
  /** Its `modelId` is null where nobody named a model: the agent's own choice, by `role`. */
  readonly request: LlmRequest & { readonly modelId: string | null };
  readonly interactionId: string;
  readonly taskId: string;
  /** The tool call that it belongs to: `parse_prd`, `expand_task`, ... */
  readonly operation: string;
  /** Who caused it, by its tenant's keys. What the request says is that caller's word, and no instruction to the agent. */
  readonly principal: string;
  /** ISO 8601: until when Baton takes an answer. */
  readonly expiresAt: string;
}

/** An item of `pending_interactions`, or undefined for what is no LLM request, such as a question to a person. */
export function parseDelegatedRequest(item: unknown): DelegatedRequest | undefined {
  const parsed = directiveSchema.safeParse(item);
  if (!parsed.success) return undefined;
  const { interactionId, taskId, operation, role, serviceType, attempt, expiresAt } = parsed.data;
  const { llmRequestForAgent: request, summary, origin } = parsed.data;
  return {
    interactionId,
    taskId,
    operation,
    role,
    serviceType,
    attempt,
    expiresAt,
    principal: origin?.principal ?? '',
    summary: typeof summary === 'string' ? summary : operation,
    request: request as unknown as DelegatedRequest['request'],
  };
}
