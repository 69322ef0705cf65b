import type { Redis } from 'ioredis';
import { type KeyKind, OTHER_KEY_KINDS, TENANT_KEY_KINDS } from './key-kinds.ts';

/** So many members of a set are looked at. */
const LOOKED_AT = 500;

/**
 * Every key of a Redis that lives longer than its kind says, a sentence each: of no known kind, without the lifetime that it must
 * have, of an owner that is gone, or with a member of one.
 */
export async function findUnownedKeys(redis: Redis, prefix = 'baton'): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; cursor !== '0'; ) {
    const [next, keys] = await redis.scan(cursor || '0', 'COUNT', 1_000);
    const problems = await Promise.all(keys.map(async (key) => problemOf(redis, prefix, key)));
    found.push(...problems.flatMap((problem) => problem ?? []));
    cursor = next;
  }
  return [...new Set(found)];
}

async function problemOf(redis: Redis, prefix: string, key: string): Promise<string | undefined> {
  const ttl = await redis.pttl(key);
  // It has expired since it was listed.
  if (ttl === -2) return undefined;
  const [base = '', rest = ''] = splitKey(key, prefix);
  const tenant = /^t:([^:]+)(.*)$/s.exec(rest);
  const kinds = tenant === null ? OTHER_KEY_KINDS : TENANT_KEY_KINDS;
  const kind = kinds.find(({ pattern }) => pattern.test(tenant?.[2] ?? rest));
  if (kind === undefined) return `${key} is of no known kind`;
  if (kind.lives === 'expires') return ttl > 0 ? undefined : `${key} never expires`;
  if (tenant !== null && (await redis.exists(`${base}t:${tenant[1]}`)) === 0)
    return `${key} belongs to a tenant that is gone`;
  if (ttl < 0 && (await hasEnd(redis, key))) return `${key} has an end and never expires`;
  return kind.lives === 'members'
    ? memberProblemOf(redis, key, kind, `${base}t:${tenant?.[1] ?? ''}`)
    : undefined;
}

/** `<prefix>:{<tag>}:`, and what stands behind it. */
function splitKey(key: string, prefix: string): string[] {
  const parts = new RegExp(`^(${prefix}:\\{[^}]+\\}:)(.*)$`, 's').exec(key);
  return parts?.slice(1) ?? [];
}

/** Whether it is an API key's record that names its end. */
async function hasEnd(redis: Redis, key: string): Promise<boolean> {
  return /:key:[^:]+$/.test(key) && (await redis.hexists(key, 'expires')) === 1;
}

async function memberProblemOf(
  redis: Redis,
  key: string,
  kind: Extract<KeyKind, { lives: 'members' }>,
  tenant: string,
): Promise<string | undefined> {
  for (const member of await redis.zrange(key, '0', `${LOOKED_AT - 1}`)) {
    const name = kind.member.exec(member)?.[1] ?? '';
    const owner = kind.of === 'task' ? `${tenant}:task:${name}` : `${tenant}${name}`;
    // A member that left after it was read belongs to nobody any more.
    if ((await redis.exists(owner)) === 0 && (await redis.zscore(key, member)) !== null)
      return `${key} has the member ${member} of a ${kind.of} that is gone`;
  }
  return undefined;
}
