import { setTimeout as delay } from 'node:timers/promises';
import { canonicalJson, ERRORS, isErrorCode } from '@baton/protocol';
import type { PendingRequest, ReportedTask } from '../checker/history.ts';
import { tryRequestJson } from '../../harness/http-request.ts';

export interface ToolParams {
  readonly name: string;
  readonly arguments: object;
  readonly _meta?: object;
}

/** The outcome of a tool call that took effect or was refused: its content, or an error. */
export type KnownOutcome =
  | { readonly kind: 'done'; readonly content: ToolContent; readonly replica: string }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string; readonly taskId?: string };

/** `unknown`: there was no reply, or one that invites to repeat the call; `replica` is who sent it. */
export type ToolOutcome =
  | KnownOutcome
  | { readonly kind: 'unknown'; readonly why: string; readonly replica?: string };

/** The fields of structured content that the suite reads. */
export interface ToolContent {
  readonly taskId?: string;
  readonly status?: string;
  readonly replayed?: boolean;
  readonly interactionId?: string;
  readonly expiresAt?: string;
  readonly result?: object;
  readonly error?: { readonly code: string; readonly message?: string; readonly taskId?: string };
  readonly pending?: ToolContent;
  readonly pendingInteractions?: readonly { readonly interactionId: string; readonly expiresAt: string }[];
  readonly outcome?: ToolContent;
}

interface RpcReply {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: ToolContent };
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } };
  /** Of a problem document, which the front answers with. */
  readonly code?: string;
}

/** Posts one `tools/call` without an SDK. */
export async function callToolForOutcome(
  url: string,
  token: string,
  params: ToolParams,
  limitMs: number,
): Promise<ToolOutcome> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const outcome = await tryRequestJson(`${url}/mcp`, { method: 'POST', token, body, limitMs });
  if (outcome.kind === 'none') return { kind: 'unknown', why: outcome.why };
  const { result, error, code: problem } = (outcome.body ?? {}) as RpcReply;
  const { replica } = outcome;
  if (replica === undefined)
    return { kind: 'refused', code: 'no replica', message: `the reply ${outcome.status} names no replica` };
  const content = result?.structuredContent;
  const failure = result?.isError ? content?.error : undefined;
  const code = error?.data?.code ?? failure?.code ?? problem;
  // After these codes the same call may be repeated.
  if (code !== undefined && isErrorCode(code) && ERRORS[code].repeat)
    return { kind: 'unknown', why: code, replica };
  if (code === undefined && content !== undefined) return { kind: 'done', content, replica };
  const message = failure?.message ?? error?.message ?? `HTTP ${outcome.status}`;
  const { taskId } = failure ?? {};
  return { kind: 'refused', code: code ?? message, message, ...(taskId === undefined ? {} : { taskId }) };
}

/** Attempts a call until an outcome is known, with pauses; undefined when it is over before. */
export async function repeatUntilKnown(
  attempt: () => Promise<ToolOutcome | undefined>,
  isOver: () => boolean,
): Promise<KnownOutcome | undefined> {
  for (let pause = 50; !isOver(); pause = Math.min(1_000, pause * 2)) {
    const outcome = await attempt();
    if (outcome !== undefined && outcome.kind !== 'unknown') return outcome;
    await delay(pause * (1 + Math.random()));
  }
  return undefined;
}

/** The task status that a tool's content reports. */
export function toReportedTask(content: ToolContent, taskId = content.taskId ?? ''): ReportedTask {
  const { status = '', result, error } = content;
  if (status === 'completed' || status === 'failed' || status === 'cancelled') {
    // The reply of a completed call is the result itself; elsewhere it is under `result`.
    const end = error ?? result ?? content;
    return { taskId, status, end: canonicalJson(end), pending: [] };
  }
  return {
    taskId,
    status: status === 'working' ? status : 'input_required',
    pending: pendingRequests(content),
  };
}

function pendingRequests(content: ToolContent): PendingRequest[] {
  const lead = content.pending ?? content;
  const listed = content.pendingInteractions ?? lead.pendingInteractions ?? [];
  const all = listed.length > 0 ? listed : [lead];
  return all.flatMap(({ interactionId, expiresAt }) =>
    interactionId === undefined || expiresAt === undefined
      ? []
      : [{ interactionId, expiresAt: Date.parse(expiresAt) }],
  );
}
