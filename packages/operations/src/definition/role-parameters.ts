import type { ModelRole } from '@baton/protocol';

/** What the requests of Baton's own operations ask for beside the model, which their tenant's role names. */
export interface RoleParameters {
  readonly maxTokens: number;
  readonly temperature: number;
}

export const ROLE_PARAMETERS: Readonly<Record<ModelRole, RoleParameters>> = {
  main: { maxTokens: 64_000, temperature: 0.2 },
  research: { maxTokens: 8_700, temperature: 0.1 },
  fallback: { maxTokens: 64_000, temperature: 0.2 },
};

/** Who is asked, and within which bounds. */
export function parametersOfRole(research: boolean): RoleParameters & { readonly role: ModelRole } {
  const role = modelRoleFor(research);
  return { ...ROLE_PARAMETERS[role], role };
}

export function modelRoleFor(research: boolean): ModelRole {
  return research ? 'research' : 'main';
}
