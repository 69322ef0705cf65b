import { canonicalJson, ERRORS, isErrorCode } from '@baton/protocol';
import type { PendingRequest, ReportedTask } from '../checker/history.ts';
import { tryRequestJson } from '../../harness/http-request.ts';

/** The outcome of a tool call: its content, an error code, or unknown. */
export type ToolOutcome =
  | { readonly kind: 'done'; readonly content: ToolContent }
  | { readonly kind: 'refused'; readonly code: string; readonly taskId: string | undefined }
  | { readonly kind: 'unknown'; readonly why: string };

/** The fields of structured content that the suite reads. */
export interface ToolContent {
  readonly taskId?: string;
  readonly status?: string;
  readonly replayed?: boolean;
  readonly interactionId?: string;
  readonly expiresAt?: string;
  readonly result?: object;
  readonly error?: { readonly code: string; readonly taskId?: string };
  readonly pending?: ToolContent;
  readonly pendingInteractions?: readonly { readonly interactionId: string; readonly expiresAt: string }[];
  readonly outcome?: ToolContent;
}

interface RpcReply {
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: ToolContent };
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string } };
}

/** Posts one `tools/call` without an SDK. */
export async function callToolForOutcome(
  url: string,
  token: string,
  params: { name: string; arguments: object; _meta?: object },
  limitMs: number,
): Promise<ToolOutcome> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const outcome = await tryRequestJson(`${url}/mcp`, { method: 'POST', token, body, limitMs });
  if (outcome.kind === 'none') return { kind: 'unknown', why: outcome.why };
  const { result, error } = outcome.body as RpcReply;
  const content = result?.structuredContent;
  const code = error?.data?.code ?? (result?.isError ? content?.error?.code : undefined);
  // These codes mean an unknown outcome: the call must be repeated.
  if (code !== undefined && isErrorCode(code) && ERRORS[code].repeat) return { kind: 'unknown', why: code };
  if (code !== undefined) return { kind: 'refused', code, taskId: content?.error?.taskId };
  if (content === undefined)
    return { kind: 'refused', code: error?.message ?? `HTTP ${outcome.status}`, taskId: undefined };
  return { kind: 'done', content };
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
