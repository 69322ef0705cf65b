import {
  type DelegatedCall,
  formatInteractionId,
  isEnded,
  type JsonObject,
  type TaskEnd,
  type TaskStatus,
  type WireError,
} from '@baton/protocol';

/** A pending request, as it was parked. Times are milliseconds by Redis's clock. */
export interface PendingInteraction {
  readonly interactionId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Of several LLM requests of a task that was read, only the first is whole. */
  readonly request: InteractionRequest | SummarizedRequest;
}

export type InteractionRequest =
  | { readonly kind: 'llm'; readonly call: DelegatedCall }
  | { readonly kind: 'elicitation'; readonly message: string; readonly schema: JsonObject };

/** An LLM request without what is sent to the LLM, which may be large. */
export interface SummarizedRequest {
  readonly kind: 'llm';
  readonly call: Omit<DelegatedCall, 'request'>;
}

interface TaskFacts {
  readonly taskId: string;
  readonly principal: string;
  readonly operation: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number;
  /** How many of its events (answers, expiries, cancellations) the task's program had consumed when it last parked. */
  readonly seen: number;
}

/** A task's state as callers see it. */
export type TaskView = TaskFacts &
  (
    | { readonly status: 'working' | 'input_required'; readonly pending: readonly PendingInteraction[] }
    | TaskEnd
  );

/** The field `program` of a task: its operation and its version. */
export function formatProgram({ operation, version }: { operation: string; version: number }): string {
  return `${operation} ${version}`;
}

export function parseProgram(field: string | null | undefined): { operation: string; version: number } {
  const [operation = '', version] = (field ?? '').split(' ');
  return { operation, version: Number(version) };
}

/** Reads READ_TASK's reply, without its leading 'ok'. */
export function parseTaskView(taskId: string, reply: readonly unknown[]): TaskView {
  const [facts, ...interactions] = reply as [string[], ...unknown[]];
  const [status, principal = '', program, at, up, ex, se, payload] = facts;
  const common: TaskFacts = {
    taskId,
    principal,
    operation: parseProgram(program).operation,
    createdAt: Number(at),
    updatedAt: Number(up ?? at),
    expiresAt: Number(ex),
    seen: Number(se ?? 0),
  };
  const end = parseTaskEnd(status as TaskStatus, payload ?? '');
  if (end !== undefined) return { ...common, ...end };
  const pending: PendingInteraction[] = [];
  for (let at = 0; at + 3 < interactions.length; at += 4) {
    const [number, due, request, summary] = interactions.slice(at, at + 4) as (string | null)[];
    pending.push({
      interactionId: formatInteractionId(taskId, Number(number)),
      expiresAt: Number(due),
      ...(summary ? parseSummarizedRequest(summary) : parseRequest(request ?? '')),
    });
  }
  return { ...common, status: status as 'working' | 'input_required', pending };
}

/** How a task ended, from its status and payload; undefined while it goes on. */
export function parseTaskEnd(status: TaskStatus, payload: string): TaskEnd | undefined {
  if (!isEnded(status)) return undefined;
  const value: unknown = JSON.parse(payload);
  return status === 'completed'
    ? { status, result: value as JsonObject }
    : { status, error: value as WireError };
}

/** Reads the field `request` of an interaction: `<created>;<request as JSON>`. */
export function parseRequest(field: string): { createdAt: number; request: InteractionRequest } {
  const semicolon = field.indexOf(';');
  return {
    createdAt: Number(field.slice(0, semicolon)),
    request: JSON.parse(field.slice(semicolon + 1)) as InteractionRequest,
  };
}

/** The field `summary` of an interaction, which the script puts the time before; empty for a question to a person. */
export function formatSummary(request: InteractionRequest): string {
  if (request.kind !== 'llm') return '';
  const { role, serviceType, attempt, summary } = request.call;
  return `${role};${serviceType};${attempt};${JSON.stringify(summary)}`;
}

function parseSummarizedRequest(field: string): { createdAt: number; request: SummarizedRequest } {
  const { createdAt, call } = parseSummary(field);
  return { createdAt, request: { kind: 'llm', call } };
}

/** Reads the field `summary` of an interaction: `<created>;<role>;<service type>;<attempt>;<summary as JSON>`. */
export function parseSummary(field: string): { createdAt: number; call: Omit<DelegatedCall, 'request'> } {
  const [createdAt, role, serviceType, attempt, ...summary] = field.split(';');
  return {
    createdAt: Number(createdAt),
    call: {
      role: role as DelegatedCall['role'],
      serviceType: serviceType as DelegatedCall['serviceType'],
      attempt: Number(attempt),
      summary: JSON.parse(summary.join(';')) as string,
    },
  };
}
