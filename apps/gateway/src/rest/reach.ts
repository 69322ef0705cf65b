import { type Scope, tenantId } from '@baton/protocol';
import { z } from 'zod';
import type { Access } from './access.ts';

/** One of the two ways to what a tenant has. Routes that exist in both are written once, against this. */
export interface Reach {
  readonly prefix: string;
  /** Operation ids are unique in a document, so the two ways name theirs apart. */
  operationId(name: string): string;
  params<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape>;
  access(need: readonly Scope[], options?: { carried: boolean }): Access;
}

/** The tenant is the key's. */
export const byKey: Reach = {
  prefix: '',
  operationId: (name) => name,
  params: (shape) => z.object(shape),
  access: (need, { carried } = { carried: false }) => ({ kind: 'key', need, carried }),
};

/** The path names the tenant. */
export const byPath: Reach = {
  prefix: '/tenants/:tenant',
  operationId: (name) => `${name}OfTenant`,
  params: (shape) => z.object({ tenant: tenantId, ...shape }),
  access: (need) => ({ kind: 'path', need }),
};
