import type { Call } from '../../call/call.ts';
import type { Notify } from '../../edge/streams/json-or-sse-reply.ts';

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
 * The call, which sends its caller a log message for each event that is logged of it, where the level of its request or session asks for what is
 * `info`. Of a refusal the response itself tells.
 */
export function sendingLogMessages<Of extends Call>(
  call: Of,
  level: LogLevel | undefined,
  notify: Notify | undefined,
): Of {
  if (notify === undefined || (level !== 'debug' && level !== 'info')) return call;
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
