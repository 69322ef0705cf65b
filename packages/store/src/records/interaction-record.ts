import { formatInteractionId, type InteractionStatus } from '@baton/protocol';
import { type Claim, parseClaimField } from './claim-field.ts';
import {
  type InteractionRequest,
  type SummarizedRequest,
  parseRequestField,
  parseSummaryField,
} from './interaction-request.ts';
import { parseProgramField } from './program-field.ts';

interface InteractionFacts {
  readonly interactionId: string;
  readonly taskId: string;
  readonly operation: string;
  readonly principal: string;
  /** The name of the program that made its call, where it gave one. */
  readonly client?: string;
  readonly status: InteractionStatus;
  readonly createdAt: number;
  /** Only while it is pending: afterwards it has an end instead. */
  readonly expiresAt?: number;
  readonly endedAt?: number;
  readonly answeredBy?: string;
  /** Whether the answer was the response to a request that a stream carried. */
  readonly answeredOnStream?: true;
  /** Of an LLM request that was answered: what the answer used. */
  readonly usage?: InteractionUsage;
  /** Set while a worker asks an LLM endpoint: no agent may answer it. */
  readonly provider?: true;
  readonly lastClaim?: Claim;
  /** While the last claim lasts: until when. */
  readonly claimedUntil?: number;
}

/** Tokens where the answer gave them, the model where it named one, and the milliseconds from the request to the answer. */
export interface InteractionUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly model?: string;
  readonly durationMs: number;
  /** Whether the answer says that the LLM call failed. */
  readonly failed?: true;
}

/** An interaction in any status, with what it asks. Times are milliseconds by Redis's clock. */
export interface InteractionRecord extends InteractionFacts {
  readonly request: InteractionRequest;
}

/** The same without the LLM request itself, which may be large. */
export interface InteractionSummary extends InteractionFacts {
  readonly request: SummarizedRequest;
}

/** The fingerprint of an answer that was the response to a request on a stream begins with it: that client is not told that it was answered. */
export const ON_STREAM = '~';

/** What is read of an interaction: fields of its task's record; either of the last two. */
export interface InteractionFields {
  readonly program: Stored;
  readonly principal: Stored;
  readonly waits: Stored;
  readonly answered: Stored;
  readonly ended: Stored;
  readonly request?: Stored;
  readonly summary?: Stored;
  readonly lastClaim?: Stored;
  readonly claimedUntil?: Stored;
  readonly client?: Stored;
}
type Stored = string | null | undefined;

/** Reads interaction `number` of a task; undefined where the task never opened it. */
export function parseInteractionRecord(
  taskId: string,
  number: number,
  fields: InteractionFields,
): InteractionRecord | undefined {
  if (!fields.request) return undefined;
  const { createdAt, request } = parseRequestField(fields.request);
  return { ...parseFacts(taskId, number, createdAt, fields), request };
}

/** The same without the LLM request; out of the request itself where the record has no summary. */
export function parseInteractionSummary(
  taskId: string,
  number: number,
  fields: InteractionFields,
): InteractionSummary | undefined {
  if (!fields.summary) {
    const record = parseInteractionRecord(taskId, number, fields);
    return record && { ...record, request: withoutLlmRequest(record.request) };
  }
  const { createdAt, call } = parseSummaryField(fields.summary);
  return { ...parseFacts(taskId, number, createdAt, fields), request: { call } };
}

function withoutLlmRequest(asked: InteractionRequest): SummarizedRequest {
  const { request: _, ...call } = asked.call;
  return { call };
}

function parseFacts(
  taskId: string,
  number: number,
  createdAt: number,
  { program, principal, waits, answered, ended, lastClaim, claimedUntil, client }: InteractionFields,
): InteractionFacts {
  const facts = {
    interactionId: formatInteractionId(taskId, number),
    taskId,
    operation: parseProgramField(program).operation,
    principal: principal ?? '',
    createdAt,
    ...(client && { client }),
    ...(lastClaim && { lastClaim: parseClaimField(lastClaim) }),
    ...(claimedUntil && { claimedUntil: Number(claimedUntil) }),
  };
  const [, due, kind] = openWait(waits ?? '', number);
  if (due !== undefined) {
    const pending = { ...facts, status: 'pending', expiresAt: Number(due) } as const;
    return kind === 'provider' ? { ...pending, provider: true } : pending;
  }
  if (answered) {
    const [fingerprint = '', endedAt, answeredBy = '', ...used] = answered.split(';');
    const onStream = fingerprint.startsWith(ON_STREAM) ? ({ answeredOnStream: true } as const) : {};
    const usage = used.length === 0 ? {} : { usage: parseInteractionUsage(used) };
    return { ...facts, status: 'answered', endedAt: Number(endedAt), answeredBy, ...onStream, ...usage };
  }
  const [status = 'cancelled', endedAt = '0'] = (ended ?? '').split(';');
  return { ...facts, status: status as InteractionStatus, endedAt: Number(endedAt) };
}

function parseInteractionUsage([
  duration,
  input,
  output,
  failed,
  ...names
]: readonly string[]): InteractionUsage {
  const model = names.join(';');
  return {
    ...(input && { inputTokens: Number(input) }),
    ...(output && { outputTokens: Number(output) }),
    ...(failed && { failed: true }),
    ...(model && { model }),
    durationMs: Number(duration),
  };
}

/** Number, deadline, kind and path of an open interaction; empty for one that is not open. */
function openWait(waits: string, number: number): string[] {
  return (
    waits
      .split(' ')
      .find((candidate) => candidate.startsWith(`${number};`))
      ?.split(';') ?? []
  );
}
