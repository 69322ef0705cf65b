import { tenantId } from '@baton/protocol';
import { refusal, type Store } from '@baton/store';
import { OperatorDoor } from '@baton/store/operator';

export function operatorDoor(store: Store): OperatorDoor {
  return new OperatorDoor(store);
}

/** Throws `tenant_not_found` for what is no tenant. The id is read first, since it becomes part of a key's name. */
export function requireTenant(door: OperatorDoor): (tenant: string) => Promise<void> {
  return async (tenant) => {
    if (!tenantId.safeParse(tenant).success) throw refusal(['tenant_not_found']);
    await door.get(tenant);
  };
}
