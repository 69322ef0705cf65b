import type { Scope } from '@baton/protocol';
import type { AdmittedKey } from './admitted-key.ts';

/** An authenticated caller: its principal and what it may do. */
export interface Identity {
  readonly principal: string;
  readonly scopes: ReadonlySet<Scope>;
  /** What its key selects of the tools that are listed, names and tiers with blanks between them; absent or empty for nothing. */
  readonly tools?: string;
  /** The key that the caller was admitted with; absent where there is none: the operator, and Baton itself. */
  readonly admittedBy?: AdmittedKey;
}

/** Whether this caller may see what belongs to a principal: its own, and with the scope `agent` everyone's. */
export function maySee(identity: Identity, principal: string): boolean {
  return identity.principal === principal || identity.scopes.has('agent');
}

/** The principal whose tasks and interactions a caller sees; '' for everyone's, with the scope `agent`. */
export function visiblePrincipal({ principal, scopes }: Identity): string {
  return scopes.has('agent') ? '' : principal;
}

/** Scopes as scripts search them: with a space on either side of each. */
export function formatScopes(scopes: Iterable<Scope>): string {
  return ` ${[...scopes].join(' ')} `;
}

export function parseScopes(text: string): ReadonlySet<Scope> {
  return new Set(text.trim().split(/\s+/) as Scope[]);
}

/** The holder of a claim: the same name under another principal is another holder. */
export function formatHolder({ principal }: Identity, holder: string): string {
  return `${principal} ${holder}`;
}
