import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  ProgressNotification,
  ProgressToken,
  ServerNotification,
  ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../call/call.ts';

/** The SDK hands a request's AuthInfo through to its handlers: the call travels in it. */
export function wrapCallInAuthInfo(call: Call): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { call } };
}

/** The call of a request, which reports progress where the request has a token for it. */
export function callFromExtra({ authInfo, _meta, sendNotification }: RequestExtra): Call {
  const call = authInfo?.extra?.['call'] as Call | undefined;
  if (call === undefined) throw new Error('a request reached a handler without its call');
  return reportingProgress(call, _meta?.progressToken, sendNotification);
}

/** The call, which reports progress by `send` where its request has a token for it. */
export function reportingProgress(
  call: Call,
  progressToken: ProgressToken | undefined,
  send: (notification: ProgressNotification) => Promise<void>,
): Call {
  if (progressToken === undefined) return call;
  return {
    ...call,
    reportProgress: ({ progress, message, meta }) =>
      send({
        method: 'notifications/progress',
        params: { progressToken, progress, message, _meta: meta },
      }),
  };
}

type RequestExtra = Pick<
  RequestHandlerExtra<ServerRequest, ServerNotification>,
  'authInfo' | '_meta' | 'sendNotification'
>;
