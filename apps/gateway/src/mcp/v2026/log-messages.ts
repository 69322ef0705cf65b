import type { Call } from '../../call/call.ts';
import type { Notify } from '../../edge/streams/json-or-sse-reply.ts';

/** The levels at which a caller is told what is logged as `info` (MCP 2026-07-28, server/utilities/logging). */
const INCLUDES_INFO: ReadonlySet<unknown> = new Set(['debug', 'info']);

/**
 * The call, which sends its caller a log message for each event that is logged of it, where the request's level asks for them. Of a
 * refusal the response itself tells.
 */
export function sendingLogMessages(call: Call, level: unknown, notify: Notify | undefined): Call {
  if (notify === undefined || !INCLUDES_INFO.has(level)) return call;
  return {
    ...call,
    logEvent: (event, facts) => {
      call.logEvent(event, facts);
      if (event === 'refused') return;
      const params = { level: 'info', logger: 'baton', data: { event, ...facts } };
      notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }));
    },
  };
}
