import { DEFAULT_LIMITS, type Limits } from '@baton/protocol';
import type { Connection } from '../redis/connection.ts';
import type { TenantKeys } from '../records/keys.ts';

/** What a tenant has now of what its limits bound. */
export interface Usage {
  /** Bytes of everything, as they are counted (docs/data-model.md). */
  readonly storedBytes: number;
  /** Those of them that are of ended tasks. */
  readonly endedTaskBytes: number;
  readonly projects: number;
  readonly openTasks: number;
  readonly retainedTasks: number;
  readonly pendingInteractions: number;
}

/** The limits of a tenant's record. One that it lacks, since the record is older than the limit, has its default. */
export function parseLimits(record: Readonly<Record<string, string>>): Limits {
  const limits = Object.entries(DEFAULT_LIMITS).map(([name, most]) => [name, Number(record[name] ?? most)]);
  return Object.fromEntries(limits) as Limits;
}

/** A tenant's record, and what it uses; undefined where there is no such tenant, or not any more. */
export async function readUsage(
  connection: Connection,
  keys: TenantKeys,
): Promise<{ record: Record<string, string>; limits: Limits; usage: Usage } | undefined> {
  const [record, projects, retainedTasks, pendingInteractions] = await connection.command((client) =>
    Promise.all([
      client.hgetall(keys.tenant),
      client.zcard(keys.projects),
      client.zcard(keys.retained),
      client.zcard(keys.pending),
    ]),
  );
  if (record['at'] === undefined || record['deleted'] !== undefined) return undefined;
  const count = (field: string) => Math.max(0, Number(record[field] ?? 0));
  const usage = {
    storedBytes: count('stored'),
    endedTaskBytes: count('storedEnded'),
    projects,
    openTasks: count('open'),
    retainedTasks,
    pendingInteractions,
  };
  return { record, limits: parseLimits(record), usage };
}
