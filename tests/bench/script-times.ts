import { startPrivateRedis } from '@baton/local-redis';
import { ALL_SCRIPTS } from '@baton/store/testing/all-scripts';
import { crowdTenant } from '@baton/store/testing/crowded-tenant';
import { runEveryScript } from '@baton/store/testing/every-script';
import { ScriptMonitor } from '@baton/store/testing/script-monitor';
import { closeFixture, connectFixture } from '@baton/store/testing/store-fixture';
import { median } from '../harness/statistics.ts';

/** The runs of a script beside few and beside many entries of its tenant, in milliseconds each. */
export interface ScriptTimes {
  readonly script: string;
  readonly few: readonly number[];
  readonly many: readonly number[];
  /** How many commands a run sends, beside few entries: the median. */
  readonly calls: number;
}

/** Of everything that a tenant may have so many. */
const [FEW, MANY] = [5, 10_000];
const SCENARIOS = 5;
const LIMITS = {
  apiKeys: 10_000,
  openTasks: 1_000_000,
  pendingInteractions: 1_000_000,
  projects: 1_000_000,
  retainedTasks: 1_000_000,
};

/** How long the runs of each script held Redis, by its own slow log, and how many commands they send. */
export async function measureScriptTimes(): Promise<ScriptTimes[]> {
  const [few, many, calls] = [await timesOf(FEW), await timesOf(MANY), await callsOf(FEW)];
  return [...few].map(([script, times]) => ({
    script,
    few: times,
    many: many.get(script) ?? [],
    calls: calls.get(script) ?? 0,
  }));
}

/** The median of the commands that a run of each script sends. */
async function callsOf(size: number): Promise<Map<string, number>> {
  const server = await startPrivateRedis({ args: ['--appendonly', 'no'] });
  const fixture = await connectFixture(server.url);
  const testTenant = await fixture.createTenant(LIMITS);
  await crowdTenant(testTenant, fixture.redis, size);
  const monitor = await ScriptMonitor.open(server.url);
  await runEveryScript(fixture, testTenant);
  const runs = new Map<string, number[]>();
  for (const { script, commands } of await monitor.runs())
    runs.set(script, [...(runs.get(script) ?? []), commands.length]);
  monitor.close();
  await closeFixture(fixture);
  await server.stop();
  return new Map([...runs].map(([script, counts]) => [script, median(counts)]));
}

async function timesOf(size: number): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (let n = 0; n < SCENARIOS; n++)
    for (const [script, ms] of await runScenario(size)) times.set(script, [...(times.get(script) ?? []), ms]);
  return times;
}

/** Each run of a script in a scenario, with its milliseconds. */
async function runScenario(size: number): Promise<[string, number][]> {
  // Filling it would start a rewrite of the append-only file, which takes time from the scripts.
  const server = await startPrivateRedis({ args: ['--appendonly', 'no'] });
  const fixture = await connectFixture(server.url);
  const { redis } = fixture;
  // Redis compiles each script when it is first sent.
  for (const { source } of ALL_SCRIPTS.values()) await redis.script('LOAD', source);
  const testTenant = await fixture.createTenant(LIMITS);
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

/** A row for each script by its name, in Markdown: its commands, and microseconds beside few and beside many entries. */
export function scriptTimesTable(rows: readonly ScriptTimes[]): string {
  const many = MANY.toLocaleString('en');
  const head = `| script | calls | µs beside ${FEW} | µs beside ${many} | longest | runs |\n| --- | --- | --- | --- | --- | --- |`;
  const lines = rows
    .toSorted((a, b) => a.script.localeCompare(b.script))
    .map(({ script, calls, few, many: times }) => {
      const figures = [median(few), median(times), Math.max(...times)].map((ms) => (ms * 1_000).toFixed(0));
      return `| \`${script}\` | ${calls} | ${figures.join(' | ')} | ${times.length} |`;
    });
  return [head, ...lines].join('\n');
}
