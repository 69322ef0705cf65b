import { ERRORS, isErrorCode } from '@baton/protocol';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import type { AnyJson } from '../harness/mcp-client.ts';
import { parseJsonRpcMessages, type RawReply } from './environment/raw-http.ts';

/**
 * Assertions about one reply apart from its duration: status, shape, error code and message. They return the faults, one
 * line each.
 */

/** Codes of JSON-RPC 2.0 (section 5.1), MCP's resource-not-found code, and those of Baton's error table. */
const RPC_CODES = new Set<number>([
  -32700,
  -32600,
  -32601,
  -32602,
  -32603,
  -32002,
  // Of 2026-07-28: headers that differ from the body, a capability that is missing, a revision that is not spoken.
  -32020,
  -32021,
  -32022,
  ...Object.values(ERRORS).map(({ rpc }) => rpc),
]);

/** Codes of Baton's own failures, which no input may cause. */
const OWN_FAULT = new Set(['internal', 'program_diverged']);

/** 5xx statuses other than 503 `unavailable`, and connections that ended without a response. */
function statusFaults({ status, text }: RawReply): string[] {
  if (status === 0) return ['the connection ended without a response'];
  if (status < 500) return [];
  return status === 503 && text.includes('"unavailable"') ? [] : [`status ${status}`];
}

/** Node itself answers an unknown `Expect` header with an empty 417 (RFC 9110, section 10.1.1). */
function isNodeExpectationError({ status, text }: RawReply): boolean {
  return status === 417 && text === '';
}

function errorCodeFaults(error: AnyJson, where: string): string[] {
  if (!isErrorCode(error?.code)) return [`${where}: '${error?.code}' is not in the error table`];
  if (OWN_FAULT.has(error.code)) return [`${where}: it reports ${error.code}: ${error.message}`];
  if (typeof error.message !== 'string' || error.message.length < 5) return [`${where}: has no message`];
  const names =
    error.code !== 'invalid_arguments' || typeof error.field === 'string' || /\w/.test(error.message);
  return names ? [] : [`${where}: names no field`];
}

/** Checks replies of `/mcp` against JSON-RPC and the output schemas of `tools/list`. */
export class McpReplyChecker {
  private readonly outputs: ReadonlyMap<
    string,
    (value: unknown) => { valid: boolean; errorMessage?: string | undefined }
  >;

  constructor(tools: readonly AnyJson[]) {
    const ajv = new AjvJsonSchemaValidator();
    this.outputs = new Map(tools.map(({ name, outputSchema }) => [name, ajv.getValidator(outputSchema)]));
  }

  /** `sent` is the JSON-RPC message that was sent, if it was one. */
  findFaults(reply: RawReply, sent?: AnyJson): string[] {
    const status = statusFaults(reply);
    if (status.length > 0) return status;
    if (isNodeExpectationError(reply)) return [];
    if (reply.status === 202 || reply.status === 204) return reply.text === '' ? [] : ['202 with a body'];
    // A request that Node cannot parse has no path, so its refusal is a problem document.
    if ((reply.headers.get('content-type') ?? '').startsWith('application/problem+json'))
      return findRestFaults(reply, () => {});
    const messages = parseJsonRpcMessages(reply);
    if (messages === undefined) return [`the body is no JSON-RPC: ${reply.text.slice(0, 200)}`];
    return messages.flatMap((message) => this.messageFaults(message, reply, sent));
  }

  private messageFaults(message: AnyJson, reply: RawReply, sent: AnyJson): string[] {
    if (message?.jsonrpc !== '2.0') return [`no JSON-RPC 2.0: ${JSON.stringify(message)?.slice(0, 200)}`];
    if (message.method !== undefined) return [];
    const faults: string[] = [];
    const answersWhole = sent !== undefined && message.id !== null && !Array.isArray(sent);
    if (answersWhole && message.id !== sent.id) faults.push(`the id is ${message.id}`);
    if ((message.result === undefined) === (message.error === undefined))
      return [...faults, 'neither a result nor an error'];
    if (message.error !== undefined) {
      const { code, message: said, data } = message.error;
      if (!RPC_CODES.has(code)) faults.push(`the JSON-RPC code ${code} is unknown`);
      if (code === -32603 && data?.code === undefined) faults.push(`internal error: ${said}`);
      if (typeof said !== 'string' || said.length < 5) faults.push('the error has no message');
      return data?.code === undefined ? faults : [...faults, ...errorCodeFaults(data, 'error')];
    }
    if (reply.status >= 400) faults.push(`a result under status ${reply.status}`);
    // A call of 2026-07-28 that has not ended has no result yet.
    const { resultType = 'complete' } = message.result;
    if (sent?.method === 'tools/call' && resultType === 'complete')
      faults.push(...this.toolResultFaults(sent.params?.name, message.result));
    return faults;
  }

  private toolResultFaults(name: string, { isError, structuredContent, content }: AnyJson): string[] {
    const { valid, errorMessage } = this.outputs.get(name)?.(structuredContent) ?? { valid: false };
    const faults = valid ? [] : [`the result does not fit the output schema: ${errorMessage}`];
    if (!Array.isArray(content) || typeof content[0]?.text !== 'string')
      faults.push('no text in the content');
    if (isError) return [...faults, ...errorCodeFaults(structuredContent?.error, 'tool error')];
    const ended =
      structuredContent?.outcome?.error ?? (name === 'task_status' ? structuredContent?.error : undefined);
    return ended === undefined ? faults : [...faults, ...errorCodeFaults(ended, 'outcome')];
  }
}

/** Comments, fields and the empty lines between events. */
const SERVER_SENT_EVENTS = /^(?:(?:(?:event|data|id|retry)?:[^\n]*)?\n)*$/;

/** Checks REST replies: refusals against RFC 9457, bodies by `described`, which throws for one that its OpenAPI document does not allow. */
export function findRestFaults(reply: RawReply, described: (body: unknown) => void): string[] {
  const status = statusFaults(reply);
  if (status.length > 0 || isNodeExpectationError(reply)) return status;
  const type = (reply.headers.get('content-type') ?? '').split(';')[0];
  if (type === 'text/csv' && reply.status === 200) return [];
  if (type === 'text/event-stream' && reply.status === 200)
    return SERVER_SENT_EVENTS.test(reply.text) ? [] : [`no event stream: ${reply.text.slice(0, 200)}`];
  let body: AnyJson;
  try {
    body = reply.text === '' ? undefined : JSON.parse(reply.text);
  } catch {
    return [`the body is no JSON: ${reply.text.slice(0, 200)}`];
  }
  if (reply.status >= 400) {
    if (type !== 'application/problem+json') return [`a refusal as '${type}': ${reply.text.slice(0, 200)}`];
    const faults = errorCodeFaults({ ...body, message: body.detail }, 'problem');
    if (body.status !== reply.status)
      faults.push(`status ${reply.status}, and the problem says ${body.status}`);
    if (faults.length > 0) return faults;
  }
  try {
    described(body);
    return [];
  } catch (error) {
    return [String(error)];
  }
}
