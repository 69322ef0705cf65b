/**
 * How long each kind of key lives, by its name behind the prefix and the hash tag. Nothing is stored otherwise:
 *
 *     expires      it always has a TTL
 *     kept         it has none, and belongs to what is kept until an operator removes it: a tenant, a shard, the deployment
 *     members      it has none; Redis deletes it with its last member, and each member belongs to a task or a tenant that is there
 */
export type KeyLife =
  | { readonly lives: 'expires' }
  | { readonly lives: 'kept'; readonly with: 'tenant' | 'deployment' }
  | { readonly lives: 'members'; readonly of: 'task' | 'tenant'; readonly member: RegExp };

/** A kind of key. `pattern` matches what stands behind `<prefix>:{<tag>}:`, or behind `t:<tenant>` for a tenant's keys. */
export type KeyKind = KeyLife & { readonly pattern: RegExp };

const EXPIRES = { lives: 'expires' } as const;
const KEPT_WITH_TENANT = { lives: 'kept', with: 'tenant' } as const;
const KEPT = { lives: 'kept', with: 'deployment' } as const;
/** `member` finds the ref of the task in a member. */
const members = (member: RegExp) => ({ lives: 'members', of: 'task', member }) as const;
const TENANTS = { lives: 'members', of: 'tenant', member: /^(.+)$/ } as const;

/** Of a tenant, behind `t:<tenant>`. */
export const TENANT_KEY_KINDS: readonly KeyKind[] = [
  { pattern: /^$/, ...KEPT_WITH_TENANT },
  { pattern: /^:keys$/, ...KEPT_WITH_TENANT },
  { pattern: /^:key-ends$/, ...KEPT_WITH_TENANT },
  // A key without an end stays until it is revoked; one with an end expires a while after it.
  { pattern: /^:key:[^:]+$/, ...KEPT_WITH_TENANT },
  { pattern: /^:jobs$/, ...KEPT_WITH_TENANT },
  { pattern: /^:projects$/, ...KEPT_WITH_TENANT },
  { pattern: /^:projectUse$/, ...KEPT_WITH_TENANT },
  { pattern: /^:project:/, ...KEPT_WITH_TENANT },
  { pattern: /^:roles$/, ...KEPT_WITH_TENANT },
  { pattern: /^:(conversations|conversationSizes)$/, ...KEPT_WITH_TENANT },
  { pattern: /^:(workflows|agents|prompts|publicPrompts)$/, ...KEPT_WITH_TENANT },
  { pattern: /^:(workflow|agent|prompt):[^:]+$/, ...KEPT_WITH_TENANT },
  { pattern: /^:prices$/, ...KEPT_WITH_TENANT },
  { pattern: /^:audit$/, ...KEPT_WITH_TENANT },
  { pattern: /^:calls$/, ...members(/^([\w-]+)\./) },
  { pattern: /^:pending$/, ...members(/^([\w-]+)\./) },
  { pattern: /^:ready$/, ...members(/^([\w-]+)$/) },
  { pattern: /^:held$/, ...members(/ ([\w-]+)$/) },
  { pattern: /^:deadlines$/, ...members(/^([\w-]+)$/) },
  {
    pattern:
      /^:(rates|tasks|retained|claims|subscribers|ended|logLevels|listeners|landed|outcomes|outcomes:times)$/,
    ...EXPIRES,
  },
  { pattern: /^:projectChanges:/, ...EXPIRES },
  {
    pattern: /^:(task|past|chunks|idem|staged|session|holder|usage|conversation|messages):[^:]+$/,
    ...EXPIRES,
  },
];

/** Of a shard or of the deployment. */
export const OTHER_KEY_KINDS: readonly KeyKind[] = [
  { pattern: /^(due|outstanding)$/, ...TENANTS },
  { pattern: /^workers$/, ...EXPIRES },
  { pattern: /^(swept|mark|topology|tenants)$/, ...KEPT },
  // BullMQ removes its jobs by itself (queues/bullmq-queues.ts).
  { pattern: /^bull:/, ...KEPT },
];
