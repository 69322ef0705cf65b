import { type DelegatedCall, interactionId, type InteractionStatus } from '@baton/protocol';
import { type InteractionRequest, parseInteraction, parseProgram } from './task-view.ts';

interface InteractionFacts {
  readonly interactionId: string;
  readonly taskId: string;
  readonly operation: string;
  readonly principal: string;
  readonly status: InteractionStatus;
  readonly createdAt: number;
  /** Only while it is pending: afterwards it has an end instead. */
  readonly expiresAt?: number;
  readonly endedAt?: number;
  readonly answeredBy?: string;
}

/** An interaction in any status, with what it asks. Times are milliseconds by Redis's clock. */
export interface InteractionRecord extends InteractionFacts {
  readonly request: InteractionRequest;
}

/** The same without the LLM request itself, which may be large. */
export interface InteractionSummary extends InteractionFacts {
  readonly request:
    | { readonly kind: 'llm'; readonly call: Omit<DelegatedCall, 'request'> }
    | Extract<InteractionRequest, { kind: 'elicitation' }>;
}

/** Reads interaction `number` out of its task's fields; undefined where the task never opened it. */
export function interactionRecord(
  taskId: string,
  number: number,
  fields: Readonly<Record<string, string | null | undefined>>,
): InteractionRecord | undefined {
  const body = fields[`i${number}`];
  if (body === null || body === undefined) return undefined;
  const due = dueOf(fields['open'] ?? '', number);
  const { createdAt, request } = parseInteraction(taskId, number, due ?? 0, body);
  const common = {
    interactionId: interactionId(taskId, number),
    taskId,
    operation: parseProgram(fields['op']).operation,
    principal: fields['pr'] ?? '',
    createdAt,
    request,
  };
  if (due !== undefined) return { ...common, status: 'pending', expiresAt: due };
  const answered = fields[`g${number}`]?.split(';');
  if (answered) {
    return { ...common, status: 'answered', endedAt: Number(answered[1]), answeredBy: answered[2] ?? '' };
  }
  const [status = 'cancelled', endedAt = '0'] = (fields[`x${number}`] ?? '').split(';');
  return { ...common, status: status as InteractionStatus, endedAt: Number(endedAt) };
}

function dueOf(open: string, number: number): number | undefined {
  const entry = open.split(' ').find((candidate) => candidate.startsWith(`${number};`));
  return entry === undefined ? undefined : Number(entry.split(';')[1]);
}
