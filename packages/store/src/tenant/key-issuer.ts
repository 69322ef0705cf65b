import { BatonError } from '@baton/protocol';
import type { AdmittedKey } from '../identity/admitted-key.ts';
import type { Identity } from '../identity/identity.ts';

/** Who creates and rotates keys: the operator, or an admin of the tenant with its own key. */
export type KeyIssuer = { readonly kind: 'operator' } | { readonly kind: 'key'; readonly key: AdmittedKey };

export const OPERATOR: KeyIssuer = { kind: 'operator' };

/** The issuer behind an admitted request: without a key it is the operator. */
export function keyIssuerOf({ admittedBy }: Identity): KeyIssuer {
  return admittedBy === undefined ? OPERATOR : { kind: 'key', key: admittedBy };
}

/** The issuer as its key is checked in the script that creates the new one. */
export function issuerIdentity(issuer: KeyIssuer): Identity {
  const nobody = { principal: '', scopes: new Set<never>() };
  return issuer.kind === 'operator' ? nobody : { ...nobody, admittedBy: issuer.key };
}

/** Principals that no key is given by name: the operator's, and the default of a key, which is that key's alone. */
const RESERVED_PRINCIPAL = /^(operator$|key-)/;

/**
 * A key makes keys that are weaker than itself: none with the scope `admin`, and none of a principal that is another's. (That
 * none outlives it is for CREATE_KEY to see to.) Errors: `insufficient_scope`, which names what only the operator may do.
 */
export function refuseStrongerKey(
  issuer: KeyIssuer,
  wanted: { readonly scopes: readonly string[]; readonly principal?: string | undefined },
): void {
  if (issuer.kind === 'operator') return;
  if (wanted.scopes.includes('admin'))
    throw operatorOnly(
      "scopes: 'admin' is given by the operator; a key makes keys that are weaker than itself",
    );
  if (wanted.principal !== undefined && RESERVED_PRINCIPAL.test(wanted.principal))
    throw operatorOnly(
      `principal: '${wanted.principal}' belongs to another; leave it out, or name one that is neither 'operator' nor begins with 'key-'`,
    );
}

/**
 * Rotation keeps the principal, whoever's it is, and hands out the new key: an admin rotates its own key, and weaker ones.
 * Errors: `insufficient_scope`.
 */
export function refuseStrongerRotation(
  issuer: KeyIssuer,
  old: { readonly id: string; readonly scopes: readonly string[]; readonly principal: string },
): void {
  if (issuer.kind === 'operator' || issuer.key.id === old.id) return;
  if (old.scopes.includes('admin') || old.principal === 'operator')
    throw operatorOnly(`id: key '${old.id}' is not weaker than the one that rotates it`);
}

function operatorOnly(problem: string): BatonError {
  return new BatonError('insufficient_scope', `${problem}. Ask the operator.`, { scope: 'operator' });
}
