import type { Scope } from '@baton/protocol';
import type { Identity } from '@baton/store';
import type { Access, AdmittedCall, Call, UnadmittedCall } from './call.ts';

export const MCP_SCOPE: readonly Scope[] = ['mcp'];
export const MCP_OR_AGENT_SCOPE: readonly Scope[] = ['mcp', 'agent'];

export const edgeAdmittedAccess = (scopes: readonly Scope[]): Access<'edge'> => ({
  scopes,
  admittedBy: 'edge',
});

export const scriptAdmittedAccess = (scopes: readonly Scope[]): Access<'script'> => ({
  scopes,
  admittedBy: 'script',
});

export const scriptAdmittedAnswerAccess = (answerTo: string | undefined): Access<'script'> => ({
  ...scriptAdmittedAccess(MCP_OR_AGENT_SCOPE),
  answerTo,
});

/** Whoever may call over MCP at all. */
export const ANY_MCP_CALLER = edgeAdmittedAccess(MCP_OR_AGENT_SCOPE);

/** An admin sees everything of its tenant, as the scope `agent` does; only answering needs that scope itself. */
export function withAdminReadScope(identity: Identity): Identity {
  const { principal, scopes } = identity;
  return scopes.has('admin') ? { principal, scopes: new Set([...scopes, 'agent']) } : identity;
}

/** The same for a stream, which also ends with its key. */
export function withAdminReadScopeOfKey(identity: Identity): Identity {
  return { ...identity, scopes: withAdminReadScope(identity).scopes };
}

/** Admits the caller. Errors: `unauthenticated`, `insufficient_scope`, `tenant_suspended`, `limit_rate`, `limit_size`, `unavailable`. */
export function admitCaller({ caller }: Pick<Call, 'caller'>, access: Access): Promise<Identity> {
  return caller.admit(access.scopes, access.answerTo);
}

export async function admitCall(call: Call, access: Access<'edge'>): Promise<AdmittedCall> {
  return { ...call, identity: await admitCaller(call, access) };
}

export function deferAdmission(call: Call, access: Access<'script'>): UnadmittedCall {
  return { ...call, admit: () => admitCaller(call, access) };
}

/** Admits the caller unless a script has: no reply and no error of a call leaves before its caller was admitted. */
export async function admitCallerUnlessAdmitted(call: Pick<Call, 'caller'>, access: Access): Promise<void> {
  if (!call.caller.admitted) await admitCaller(call, access);
}
