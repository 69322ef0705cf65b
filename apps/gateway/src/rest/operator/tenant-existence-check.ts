import { tenantIdSchema } from '@baton/protocol';
import { refusalError } from '@baton/store';
import type { OperatorStore } from '@baton/store/operator';

/** Throws `tenant_not_found` for what is no tenant. The id is read first, since it becomes part of a key's name. */
export function createTenantExistenceCheck(operatorStore: OperatorStore): (tenant: string) => Promise<void> {
  return async (tenant) => {
    if (!tenantIdSchema.safeParse(tenant).success)
      throw refusalError(['tenant_not_found'], { tenantId: tenant });
    await operatorStore.get(tenant);
  };
}
