import type { UsageSums } from '@baton/protocol';
import { TenantPart } from '../tenant/tenant-context.ts';
import { parseUsageSums } from '../records/usage-sums.ts';

/** What one operation's calls, by one agent and one model, used on one day of UTC. */
export interface UsageRow extends UsageSums {
  readonly day: string;
  readonly operation: string;
  /** Empty for calls that were no agent's of the tenant. */
  readonly agent: string;
  /** Empty where the answers name none. */
  readonly model: string;
}

/** So many days are read by one command. */
const DAYS_PER_READ = 10;

/** What a tenant's LLM calls used, by day: counted by the scripts that take answers (scripts/lua/include/usage.lua). */
export class UsageDays extends TenantPart {
  /** The rows of some days, in batches: each day has some hundred at most. */
  async *read(days: readonly string[]): AsyncGenerator<UsageRow[]> {
    const { connection, keys } = this.context;
    for (let from = 0; from < days.length; from += DAYS_PER_READ) {
      const batch = days.slice(from, from + DAYS_PER_READ);
      const hashes = await connection.command((client) =>
        Promise.all(batch.map((day) => client.hgetall(keys.usage(day)))),
      );
      yield hashes.flatMap((hash, at) => rowsOf(batch[at] ?? '', hash));
    }
  }
}

function rowsOf(day: string, hash: Record<string, string>): UsageRow[] {
  return Object.entries(hash).flatMap(([name, text]) => {
    const [operation = '', agent = '', ...model] = name.split(';');
    const sums = parseUsageSums(text);
    return sums === undefined ? [] : [{ day, operation, agent, model: model.join(';'), ...sums }];
  });
}
