import { startPrivateRedis, startPrivateValkey } from '@baton/local-redis';
import {
  type Measurements,
  measureSubject,
  medianMeasurements,
  tableHead,
  tableRow,
} from './measure-subject.ts';
import { batonSubject, type Subject } from './subjects/subject.ts';

const CONCURRENCIES = [1, 64];
const EVERY_SECOND = ['--appendonly', 'yes', '--appendfsync', 'everysec'];
const ALWAYS = ['--appendonly', 'yes', '--appendfsync', 'always'];

const redis = (args: string[]): Subject => ({
  ...batonSubject(),
  startRedis: () => startPrivateRedis({ args }),
});
const valkey = (args: string[], BENCH_WAIT_AOF: string): Subject => ({
  ...batonSubject(),
  startRedis: () => startPrivateValkey(args),
  environment: { BENCH_WAIT_AOF },
});

const CASES: readonly (readonly [name: string, subject: Subject])[] = [
  ['Redis, no append-only file', redis(['--appendonly', 'no'])],
  ['Redis, everysec', redis(EVERY_SECOND)],
  ['Redis, always', redis(ALWAYS)],
  ['Valkey, everysec', valkey(EVERY_SECOND, 'false')],
  ['Valkey, everysec, WAITAOF', valkey(EVERY_SECOND, 'true')],
  ['Valkey, always, WAITAOF', valkey(ALWAYS, 'true')],
];

/** What each setting of durability costs a round trip, interleaved. */
export async function compareDurability(runs: number): Promise<void> {
  console.log(tableHead('at once', 'Baton on'));
  for (const concurrency of CONCURRENCIES) {
    const measured = new Map<string, Measurements[]>(CASES.map(([name]) => [name, []]));
    for (let run = 0; run < runs; run++)
      for (const [name, subject] of CASES)
        measured.get(name)?.push(await measureSubject(subject, concurrency));
    for (const [name, figures] of measured)
      console.log(tableRow(medianMeasurements(figures), String(concurrency), name));
  }
}
