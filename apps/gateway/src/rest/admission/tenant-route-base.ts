import { type Scope, tenantIdSchema } from '@baton/protocol';
import { z } from 'zod';
import { edgeAdmittedAccess, scriptAdmittedAccess } from '../../call/access.ts';
import type { RouteAccess } from '../../edge/route-access.ts';

/** One of the two ways to what a tenant has. Routes that exist in both are written once, against this. */
export interface TenantRouteBase {
  readonly prefix: string;
  /** Operation ids are unique in a document, so the two ways name theirs apart. */
  operationId(name: string): string;
  params<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape>;
  access(scopes: readonly Scope[], options?: { checkedInScript: boolean }): RouteAccess;
}

/** The tenant is the key's. */
export const keyTenantRouteBase: TenantRouteBase = {
  prefix: '',
  operationId: (name) => name,
  params: (shape) => z.object(shape),
  access: (scopes, { checkedInScript } = { checkedInScript: false }) => ({
    kind: 'key',
    ...(checkedInScript ? scriptAdmittedAccess(scopes) : edgeAdmittedAccess(scopes)),
  }),
};

/** The path names the tenant. */
export const pathTenantRouteBase: TenantRouteBase = {
  prefix: '/tenants/:tenant',
  operationId: (name) => `${name}OfTenant`,
  params: (shape) => z.object({ tenant: tenantIdSchema, ...shape }),
  access: (scopes) => ({ kind: 'path', scopes }),
};
