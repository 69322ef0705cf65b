import { type Scope, tenantId } from '@baton/protocol';
import { z } from 'zod';
import type { RouteAccess } from './route-access.ts';

/** One of the two ways to what a tenant has. Routes that exist in both are written once, against this. */
export interface RouteScope {
  readonly prefix: string;
  /** Operation ids are unique in a document, so the two ways name theirs apart. */
  operationId(name: string): string;
  params<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape>;
  access(need: readonly Scope[], options?: { carried: boolean }): RouteAccess;
}

/** The tenant is the key's. */
export const tenantOfKey: RouteScope = {
  prefix: '',
  operationId: (name) => name,
  params: (shape) => z.object(shape),
  access: (need, { carried } = { carried: false }) => ({ kind: 'key', need, carried }),
};

/** The path names the tenant. */
export const tenantInPath: RouteScope = {
  prefix: '/tenants/:tenant',
  operationId: (name) => `${name}OfTenant`,
  params: (shape) => z.object({ tenant: tenantId, ...shape }),
  access: (need) => ({ kind: 'path', need }),
};
