import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../../call/call.ts';
import type { Notify } from '../../edge/streams/json-or-sse-reply.ts';
import type { DispatchedReply } from './dispatcher.ts';

/** By severity (MCP, server/utilities/logging). */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Sends a request. At the level `info`, which the request or its session asks for, its caller is sent a log message for each event that is logged of
 * the call, and for the end of its task at a worker; at `debug` for its beginning and its end too. Of a refusal the response itself tells, and a request that is refused by a status has no messages.
 */
export async function sendWithLogMessages<
  Of extends Call,
  Response extends Pick<DispatchedReply, 'httpError' | 'status'>,
>(
  { method, params }: JSONRPCRequest,
  call: Of,
  { level, notify }: { readonly level: LogLevel | undefined; readonly notify: Notify | undefined },
  send: (call: Of) => Promise<Response>,
): Promise<Response> {
  if (notify === undefined || (level !== 'debug' && level !== 'info')) return send(call);
  const began = performance.now();
  const tell = (at: LogLevel, data: object) => {
    const message = { level: at, logger: 'baton', data };
    notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: message }));
  };
  let hasBegun = level !== 'debug';
  const begin = () => {
    const { name } = params ?? {};
    if (!hasBegun) tell('debug', { event: 'called', method, ...(typeof name === 'string' && { name }) });
    hasBegun = true;
  };
  const notifyEvent: Call['logEvent'] = (event, facts) => {
    begin();
    tell('info', { event, ...facts });
  };
  const logEvent: Call['logEvent'] = (event, facts) => {
    call.logEvent(event, facts);
    if (event !== 'refused') notifyEvent(event, facts);
  };
  const response = await send({ ...call, logEvent, notifyEvent });
  const hasStatus = response.httpError !== undefined || response.status !== undefined;
  if (level !== 'debug' || (hasStatus && !hasBegun)) return response;
  begin();
  tell('debug', { event: 'replied', ms: Math.round(performance.now() - began) });
  return response;
}
