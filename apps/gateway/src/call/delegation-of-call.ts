import type { Call } from './call.ts';
import type { ClientDelegation } from './client-delegation.ts';

/**
 * How the client of an admitted call is shown requests: as the call says, then as its key has it, then as `chooseDelegation` found. Undefined for a
 * call of another protocol. Errors: `unavailable`.
 */
export async function delegationOf({
  delegation,
  caller,
  tenant,
}: Call): Promise<ClientDelegation | undefined> {
  if (delegation === undefined || delegation.isForced || delegation.possible.length < 2) return delegation;
  const key = caller.heldIdentity().admittedBy?.id;
  const dialect = key === undefined ? undefined : await tenant.apiKeys.cachedDialect(key);
  return dialect === undefined || !delegation.possible.includes(dialect)
    ? delegation
    : { ...delegation, dialect, isForced: true };
}
