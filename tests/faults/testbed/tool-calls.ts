import { tryRequestJson } from '../../harness/http-request.ts';
import type { AnyJson } from '../../harness/mcp-client.ts';

export interface ToolReply {
  /** 0 without a reply. */
  readonly status: number;
  /** The tool's structured content, or its error. */
  readonly content: AnyJson;
  readonly error: AnyJson;
}

/** One `tools/call`. */
export async function tryCallTool(
  url: string,
  token: string,
  name: string,
  args: object,
  limitMs = 30_000,
): Promise<ToolReply> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = await tryRequestJson(`${url}/mcp`, { method: 'POST', token, body, limitMs });
  if (reply.kind === 'none')
    return { status: 0, content: undefined, error: { code: 'none', message: reply.why } };
  const { result, error } = reply.body as AnyJson;
  const content = result?.structuredContent;
  const refused = error?.data ?? error ?? (result?.isError ? content?.error : undefined);
  return { status: reply.status, content: refused ? undefined : content, error: refused };
}

/** Answers an interaction of a test operation by `agent_llm`. */
export function answerInteraction(
  url: string,
  token: string,
  interactionId: string,
  value: string,
  waitMs = 20_000,
) {
  const agentLLMResponse = { status: 'success', data: { object: { value } } };
  return tryCallTool(url, token, 'agent_llm', { interactionId, agentLLMResponse, waitMs });
}
