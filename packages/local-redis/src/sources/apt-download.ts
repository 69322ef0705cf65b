import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceMiss } from './search-options.ts';
import { runCommand } from '../system/run-command.ts';

/** An update of all lists over a slow line. */
const UPDATE_MS = 180_000;
const COMMAND_MS = 120_000;

/** Unpacking these over the running system's would mix two C libraries in one process. */
const NEVER = new Set(['libc6', 'libc-bin']);

/**
 * Downloads a package, and those that it needs and this system lacks, into `<dir>/debs`, as any user: the system's
 * sources, keys and list of installed packages are read, while lists and caches are kept under `dir`.
 */
export async function downloadPackages(
  name: string,
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ debs: string } | SourceMiss> {
  const debs = join(dir, 'debs');
  for (const made of [debs, join(dir, 'lists/partial'), join(dir, 'cache/archives/partial')]) {
    await mkdir(made, { recursive: true });
  }
  const options = privateOptions(dir);
  const apt = (limitMs: number, ...args: string[]) =>
    runCommand('apt-get', [...options, ...args], { env: { ...env, LC_ALL: 'C' }, cwd: debs, limitMs });

  // One of the system's sources that is out of order makes the whole update fail, and the others are fetched all
  // the same; so whether it worked is for the next steps to say, and its reason is told if they fail.
  const updated = await apt(UPDATE_MS, 'update');
  const failed = (reason: string): SourceMiss => ({
    missing: updated.ok || updated.reason === reason ? reason : `${updated.reason}; then ${reason}`,
  });

  const planned = await apt(COMMAND_MS, '--simulate', '--no-install-recommends', '--yes', 'install', name);
  if (!planned.ok) return failed(planned.reason);
  // Where it is installed already nothing is planned, but its files are needed here nonetheless.
  const wanted = new Set([name, ...parsePlannedPackages(planned.stdout)].filter((each) => !NEVER.has(each)));
  const downloaded = await apt(COMMAND_MS, 'download', ...wanted);
  return downloaded.ok ? { debs } : failed(downloaded.reason);
}

/** The packages that a simulated installation would install or upgrade. */
export function parsePlannedPackages(simulation: string): string[] {
  return [...simulation.matchAll(/^Inst (\S+) /gm)].flatMap(([, name]) => name ?? []);
}

function privateOptions(dir: string): string[] {
  const settings = {
    'Dir::State': dir,
    'Dir::State::lists': join(dir, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(dir, 'cache'),
    // Root would otherwise fetch as a user who may not enter our directory.
    'APT::Sandbox::User': 'root',
    // The list of binary packages is all that is needed.
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled': 'false',
    'Acquire::IndexTargets::deb-src::Sources::DefaultEnabled': 'false',
    // Without it a list that cannot be fetched is a warning, and the reason that is told is not the cause.
    'APT::Update::Error-Mode': 'any',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
  };
  return ['--quiet', ...Object.entries(settings).flatMap(([key, value]) => ['--option', `${key}=${value}`])];
}
