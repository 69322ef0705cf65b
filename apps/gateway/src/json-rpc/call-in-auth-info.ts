import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../call/call.ts';

/** The SDK hands a request's AuthInfo through to its handlers: the call travels in it. */
export function wrapCallInAuthInfo(call: Call): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { call } };
}

/** The call of a request, which reports progress where the request has a token for it. */
export function callFromExtra({ authInfo, _meta, sendNotification }: RequestExtra): Call {
  const call = authInfo?.extra?.['call'] as Call | undefined;
  if (call === undefined) throw new Error('a request reached a handler without its call');
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return call;
  return {
    ...call,
    reportProgress: ({ progress, message, meta }) =>
      sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, message, _meta: meta },
      }),
  };
}

type RequestExtra = Pick<
  RequestHandlerExtra<ServerRequest, ServerNotification>,
  'authInfo' | '_meta' | 'sendNotification'
>;
