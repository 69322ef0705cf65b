import type { DelegatedCall } from '@baton/protocol';

/** What an interaction asks: an LLM call of the agent, or, with the role `person`, a question to a person. */
export interface InteractionRequest {
  readonly call: DelegatedCall;
}

/** A request without what is sent to the LLM, which may be large. */
export interface SummarizedRequest {
  readonly call: Omit<DelegatedCall, 'request'>;
}

/** Whether the answer of a request may come in chunks. */
export function mayStream(request: InteractionRequest | SummarizedRequest): boolean {
  return request.call.serviceType === 'streamText';
}

/** Reads the field `request` of an interaction: `<created>;<request as JSON>`. */
export function parseRequestField(field: string): { createdAt: number; request: InteractionRequest } {
  const semicolon = field.indexOf(';');
  return {
    createdAt: Number(field.slice(0, semicolon)),
    request: JSON.parse(field.slice(semicolon + 1)) as InteractionRequest,
  };
}

/** The field `summary` of an interaction, which the script puts the time before. */
export function formatSummaryField(request: InteractionRequest): string {
  const { role, serviceType, attempt, summary, agentId, answerWithinMs } = request.call;
  const within = answerWithinMs === undefined ? '' : `@${answerWithinMs}`;
  const asked =
    agentId === undefined && within === '' ? `${attempt}` : `${attempt}@${agentId ?? ''}${within}`;
  return `${role};${serviceType};${asked};${JSON.stringify(summary)}`;
}

/**
 * Reads the field `summary` of an interaction: `<created>;<role>;<service type>;<attempt>;<summary as JSON>`, with `@<agent id>`
 * behind the attempt of a request that is for one of the tenant's agents, and `@<ms>` behind that where it is to be answered within
 * so many milliseconds from when it is shown, which scripts read.
 */
export function parseSummaryField(field: string): {
  createdAt: number;
  call: Omit<DelegatedCall, 'request'>;
} {
  const [createdAt, role, serviceType, asked = '', ...summary] = field.split(';');
  const [attempt, agentId] = asked.split('@');
  return {
    createdAt: Number(createdAt),
    call: {
      role: role as DelegatedCall['role'],
      serviceType: serviceType as DelegatedCall['serviceType'],
      attempt: Number(attempt),
      summary: JSON.parse(summary.join(';')) as string,
      ...(agentId === undefined || agentId === '' ? {} : { agentId }),
    },
  };
}

/** The same as a request without what is sent to the LLM. */
export function parseSummarizedRequest(field: string): { createdAt: number; request: SummarizedRequest } {
  const { createdAt, call } = parseSummaryField(field);
  return { createdAt, request: { call } };
}
