import { startPrivateRedis } from '@baton/local-redis';
import { median } from '../harness/statistics.ts';
import { ALL_SCRIPTS } from '@baton/store/testing/all-scripts';
import { crowdTenant } from '@baton/store/testing/crowded-tenant';
import { runEveryScript } from '@baton/store/testing/every-script';
import { closeFixture, connectFixture } from '@baton/store/testing/store-fixture';

/** The longest run of a script beside few and beside many entries of its tenant, in milliseconds. */
export interface ScriptTimes {
  readonly script: string;
  readonly few: number;
  readonly atLimits: number;
}

/** Of everything that a tenant may have so many. */
const SIZES = { few: 5, atLimits: 10_000 };
/** The median of so many scenarios: the machine may do something else in the middle of one run. */
const SCENARIOS = 5;

/** The longest run of each script by Redis's own slow log, beside few and beside many entries of its tenant. */
export async function measureScriptTimes(): Promise<ScriptTimes[]> {
  const few = await timesOf(SIZES.few);
  const atLimits = await timesOf(SIZES.atLimits);
  return [...few].map(([script, ms]) => ({ script, few: ms, atLimits: atLimits.get(script) ?? ms }));
}

async function timesOf(size: number): Promise<Map<string, number>> {
  const longest = new Map<string, number[]>();
  for (let n = 0; n < SCENARIOS; n++) {
    const times = new Map<string, number>();
    for (const [script, ms] of await runScenario(size))
      times.set(script, Math.max(ms, times.get(script) ?? 0));
    for (const [script, ms] of times) longest.set(script, [...(longest.get(script) ?? []), ms]);
  }
  return new Map([...longest].map(([script, each]) => [script, median(each)]));
}

/** Each run of a script in a scenario, with its milliseconds. */
async function runScenario(size: number): Promise<[string, number][]> {
  const server = await startPrivateRedis();
  const fixture = await connectFixture(server.url);
  const { redis } = fixture;
  // Redis compiles each script when it is first sent.
  for (const { source } of ALL_SCRIPTS.values()) await redis.script('LOAD', source);
  const limits = { apiKeys: 10_000, openTasks: 1_000_000, pendingInteractions: 1_000_000 };
  const testTenant = await fixture.createTenant(limits);
  await crowdTenant(testTenant, redis, size);
  await redis.config('SET', 'slowlog-max-len', '100000');
  await redis.config('SET', 'slowlog-log-slower-than', '0');
  await runEveryScript(fixture, testTenant);
  const log = (await redis.call('SLOWLOG', 'GET', '-1')) as [number, number, number, string[]][];
  await closeFixture(fixture);
  await server.stop();
  return log.flatMap(([, , microseconds, [command = '', sha = '']]) => {
    const script = /^evalsha$/i.test(command) ? ALL_SCRIPTS.get(sha)?.name : undefined;
    return script === undefined ? [] : [[script, microseconds / 1_000] as [string, number]];
  });
}

/** A row for each script, in Markdown. */
export function scriptTimesTable(rows: readonly ScriptTimes[]): string {
  const head = `| script | longest run beside ${SIZES.few}, ms | beside ${SIZES.atLimits.toLocaleString('en')}, ms |\n| --- | --- | --- |`;
  const lines = rows
    .toSorted((a, b) => b.atLimits - a.atLimits)
    .map(({ script, few, atLimits }) => `| \`${script}\` | ${few.toFixed(2)} | ${atLimits.toFixed(2)} |`);
  return [head, ...lines].join('\n');
}
