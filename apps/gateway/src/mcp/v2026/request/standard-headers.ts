import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '@baton/protocol';
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';

/** What `Mcp-Name` repeats of the params of a method (MCP 2026-07-28, basic/transports/streamable-http, Standard Headers). */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
const BASE64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** How the headers of a request differ from its body, as a sentence; undefined where they agree. */
export function headerMismatch(
  { method, params }: JSONRPCRequest,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (headers['mcp-protocol-version'] === undefined)
    return missing('Mcp-Protocol-Version', 'the revision of _meta');
  const named = headers['mcp-method'];
  if (named === undefined) return missing('Mcp-Method', `'${shown(method)}'`);
  if (named !== method) return differs('Mcp-Method', String(named), method);
  const field = NAMES.get(method);
  const value = field === undefined || !isRecord(params) ? undefined : params[field];
  if (typeof value !== 'string') return undefined;
  const header = headers['mcp-name'];
  if (header === undefined) return missing('Mcp-Name', `'${shown(value)}'`);
  const decoded = decodeHeader(String(header).trim());
  if (decoded === undefined)
    return `The header Mcp-Name holds no base64 of UTF-8: '${shown(String(header))}'.`;
  return decoded === value ? undefined : differs('Mcp-Name', decoded, value);
}

/** The text of a header's value, which is base64 where it is not plain ASCII; undefined where that is broken. */
function decodeHeader(value: string): string | undefined {
  if (!value.startsWith('=?base64?')) return value;
  const [, encoded] = BASE64.exec(value) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

function missing(header: string, value: string): string {
  return `The header ${header} is missing. It repeats what the body has: ${value}.`;
}

function differs(header: string, given: string, body: string): string {
  return `The header ${header} is '${shown(given)}', and the body has '${shown(body)}'. They must be the same.`;
}

function shown(text: string): string {
  return text.slice(0, 200);
}
