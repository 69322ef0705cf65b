import { maskUrlPasswords } from '@baton/protocol';
import { EXIT_CODES, exitCodeFor } from '../process/exit-codes.ts';
import { readDevFile } from '../settings/dev-file.ts';
import type { Settings } from '../settings/environment.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

const MIN_MAJOR_VERSION = 7;
const MAX_CLOCK_DIFFERENCE_MS = 1_000;

/**
 * The Redis of the settings, or of `baton dev` in this folder where that is the Baton at `batonUrl`, or none is named, and the workers on it. Nothing is
 * looked at where there is neither.
 */
export async function checkRedis(settings: Settings, batonUrl: string | undefined): Promise<Finding[]> {
  const { REDIS_URL, BATON_DATA_DIR, BATON_REDIS_PREFIX } = settings;
  const url = REDIS_URL ?? (await redisOfDev(BATON_DATA_DIR, batonUrl));
  if (url === undefined)
    return [note('redis', 'REDIS_URL is not set here: Redis and the workers are seen by the gateway alone.')];
  const place = maskUrlPasswords(url);
  try {
    const { otherSecretText, reportRedis, sharesSecrets } = await import('@baton/store');
    const report = await reportRedis(url, BATON_REDIS_PREFIX);
    const isOld = Number(report.version.split('.')[0]) < MIN_MAJOR_VERSION;
    const version = isOld
      ? wrong(
          'redis',
          `Redis at ${place} is ${report.version}; Baton needs ${MIN_MAJOR_VERSION} or later.`,
          EXIT_CODES.configuration,
        )
      : ok('redis', `Redis ${report.version} answers at ${place}, and evicts nothing.`);
    const { BATON_SECRET, BATON_SECRET_PREVIOUS } = settings;
    const secret =
      report.secretIds === undefined || BATON_SECRET === undefined
        ? []
        : sharesSecrets(report.secretIds, [BATON_SECRET, ...BATON_SECRET_PREVIOUS])
          ? [ok('secret', 'BATON_SECRET is that of the deployment on it.')]
          : [wrong('secret', otherSecretText(BATON_REDIS_PREFIX), EXIT_CODES.configuration)];
    return [
      version,
      ...secret,
      persistence(report.appendOnly),
      memory(report),
      redisClock(report.clockAheadMs),
      workers(report),
    ];
  } catch (error) {
    return [wrong('redis', (error as Error).message, Math.max(exitCodeFor(error), EXIT_CODES.unavailable))];
  }
}

async function redisOfDev(dataDir: string, batonUrl: string | undefined): Promise<string | undefined> {
  const dev = await readDevFile(dataDir);
  if (dev === undefined) return undefined;
  return batonUrl === undefined || originOf(batonUrl) === originOf(dev.url) ? dev.redisUrl : undefined;
}

/** Both names of this machine as one; undefined for what is no address. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin.replace('//localhost', '//127.0.0.1') : undefined;
}

function persistence(appendOnly: boolean): Finding {
  return appendOnly
    ? ok('persistence', 'Its append-only file is on.')
    : note('persistence', 'Its append-only file is off: a restart loses what waits. Set appendonly yes.');
}

function memory({
  maxMemoryBytes,
  usedMemoryBytes,
}: {
  readonly maxMemoryBytes: number;
  readonly usedMemoryBytes: number;
}): Finding {
  const used = `${Math.round(usedMemoryBytes / 1_048_576)} MiB`;
  if (maxMemoryBytes === 0) return ok('memory', `It uses ${used}, and has no limit.`);
  const share = Math.round((100 * usedMemoryBytes) / maxMemoryBytes);
  const text = `It uses ${used}, ${share} % of its maxmemory`;
  return share < 90
    ? ok('memory', `${text}.`)
    : wrong(
        'memory',
        `${text}: above 90 % new calls are refused, above 97 % answers too. Raise maxmemory, or delete projects.`,
        EXIT_CODES.unavailable,
      );
}

function redisClock(aheadMs: number): Finding {
  return Math.abs(aheadMs) <= MAX_CLOCK_DIFFERENCE_MS
    ? ok('redis clock', 'It has the same time as this machine.')
    : note(
        'redis clock',
        `Its clock, by which deadlines are decided, is ${Math.round(aheadMs / 1_000)} s ahead of this machine's.`,
      );
}

function workers({
  shards,
  workers: alive,
}: {
  readonly shards: number | undefined;
  readonly workers: readonly string[];
}): Finding {
  if (shards === undefined)
    return note('worker', 'No Baton has started on this Redis yet, with this BATON_REDIS_PREFIX.');
  return alive.length === 0
    ? wrong(
        'worker',
        'No worker lives: answers are taken, and nothing goes on. Start one: baton worker',
        EXIT_CODES.unavailable,
      )
    : ok(
        'worker',
        `${alive.length === 1 ? 'A worker lives' : `${alive.length} workers live`}: ${alive.join(', ')}.`,
      );
}
