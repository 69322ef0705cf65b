import type { Redis } from 'ioredis';
import type { TenantKeys } from '../records/keys.ts';
import { STORED_WEIGHTS } from '../records/stored-weights.ts';
import { taskFieldNameOf } from './task-fields.ts';

/** What a tenant stores, and of it what is of ended tasks, as Redis's contents have it: read whole, and counted by no script. */
export async function measureStorage(
  redis: Redis,
  keys: TenantKeys,
): Promise<{ stored: number; storedEnded: number }> {
  let [stored, storedEnded] = [0, 0];
  for (const key of await redis.keys(`${keys.tenant}:task:*`)) {
    const record = await redis.hgetall(key);
    const bytes = measureTask({ ...(await redis.hgetall(key.replace(':task:', ':past:'))), ...record });
    stored += bytes;
    if (/^(completed|failed|cancelled)$/.test(record['st'] ?? '')) storedEnded += bytes;
  }
  for (const name of await redis.zrange(keys.projects, '0', '-1'))
    stored += measureProject(name, await redis.hgetall(keys.project(name)));
  for (const kind of ['workflow', 'agent', 'prompt'] as const) {
    for (const [name, entry] of Object.entries(await redis.hgetall(keys[`${kind}s`]))) {
      stored += Buffer.byteLength(/^\d+;[01];(.*)$/.exec(entry)?.[1] ?? '');
      for (const [field, value] of Object.entries(await redis.hgetall(keys[kind](name))))
        stored += Buffer.byteLength(value) + (field.endsWith(';by') ? 0 : STORED_WEIGHTS.definition_version);
    }
  }
  for (const key of await redis.keys(`${keys.tenant}:messages:*`)) {
    stored += STORED_WEIGHTS.conversation;
    for (const text of await redis.lrange(key, 0, -1))
      stored += Buffer.byteLength(text) + STORED_WEIGHTS.message;
  }
  return { stored, storedEnded };
}

/** What a project takes, by its stored fields. */
export function measureProject(name: string, record: Readonly<Record<string, string>>): number {
  const { v: _, i: __, ...fields } = record;
  let bytes = STORED_WEIGHTS.project + Buffer.byteLength(name);
  for (const [field, value] of Object.entries(fields))
    bytes += STORED_WEIGHTS.project_field + Buffer.byteLength(field) + Buffer.byteLength(value);
  return bytes;
}

function measureTask(record: Readonly<Record<string, string>>): number {
  let bytes = STORED_WEIGHTS.task;
  for (const [field, value] of Object.entries(record)) {
    const name = taskFieldNameOf(field);
    if (name === 'input' || name === 'outcome' || name === 'retries') bytes += Buffer.byteLength(value);
    else if (name === 'chunk_state') {
      const [posted = 0, chunks = 0] = value.split(';').map(Number);
      bytes += posted + chunks * STORED_WEIGHTS.chunk;
    } else if (name !== undefined && name in STORED_WEIGHTS)
      bytes += Buffer.byteLength(value) + STORED_WEIGHTS[name as keyof typeof STORED_WEIGHTS];
  }
  return bytes;
}

/** What the tenant's record says. */
export async function countedStorage(
  redis: Redis,
  keys: TenantKeys,
): Promise<{ stored: number; storedEnded: number }> {
  const [stored, storedEnded] = await redis.hmget(keys.tenant, 'stored', 'storedEnded');
  return { stored: Number(stored ?? 0), storedEnded: Number(storedEnded ?? 0) };
}
