import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { Call } from '../call/call.ts';

/** The SDK hands a request's AuthInfo through to its handlers: the call travels in it. */
export function wrapCallInAuthInfo(call: Call): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { call } };
}

export function callFromAuthInfo(authInfo: AuthInfo | undefined): Call {
  const call = authInfo?.extra?.['call'];
  if (call === undefined) throw new Error('a request reached a handler without its call');
  return call as Call;
}
