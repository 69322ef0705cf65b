import { formatScopes, type Identity } from './identity.ts';
import type { TenantKeys } from '../records/keys.ts';

/** The key of the record by which a script checks a caller again. Without a key there is nothing to check, and nothing is read of it. */
export function credentialOf({ admittedBy }: Identity, keys: TenantKeys): string {
  return admittedBy?.record ?? keys.credential('');
}

/** The arguments of the same check. A caller with a key is who the key's record says it is now. */
export function admissionRecheckArgs({ principal, scopes, admittedBy }: Identity) {
  return {
    digest: admittedBy?.digest ?? '',
    principal,
    scopes: formatScopes(scopes),
    need: admittedBy?.need.join(' ') ?? '',
  };
}

/** The same for a script that admits callers too (`include/admission.lua`): the request was counted before. */
export function admittedCallerArgs(identity: Identity) {
  return { ...admissionRecheckArgs(identity), bytes: 0, weight: 0, floor: '' };
}
