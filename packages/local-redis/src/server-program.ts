import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const NAMES = ['redis-server', 'valkey-server'];
/** Scripts that begin with `#!lua`, which the store's do, exist since this one. */
const OLDEST_MAJOR = 7;
/** An update of all lists of packages over a slow line. */
const FETCH_MS = 300_000;

/** No usable Redis. The message is complete and meant for the person at the terminal. */
export class RedisNotFound extends Error {
  override readonly name = 'RedisNotFound';
  /** EX_CONFIG of sysexits.h: the command line ends with it. */
  readonly exitCode = 78;
}

/** What was tried and why it failed; the last line is the one to type. */
export async function redisNotFound(tried: readonly string[]): Promise<RedisNotFound> {
  return new RedisNotFound(
    [
      'No Redis was found. Tried, in this order:',
      ...tried.map((reason) => `  - ${reason}`),
      'To install one, type this and start again:',
      `  ${await installLine(tried)}`,
    ].join('\n'),
  );
}

/**
 * A program that starts as a Redis server, or with `--sentinel` as a sentinel: installed, fetched earlier, or fetched now. `say` gets a line
 * before anything that takes seconds.
 * @throws RedisNotFound.
 */
export async function findServerProgram(say: (line: string) => void = () => {}): Promise<string> {
  const tried: string[] = [];
  for (const find of [findInstalledProgram, () => fetchServerProgram('redis', say)]) {
    try {
      return await find();
    } catch (error) {
      tried.push((error as Error).message);
    }
  }
  throw await redisNotFound(tried);
}

/** redis-server or valkey-server on PATH, else the one that was fetched earlier. @throws Error that says why there is none. */
export async function findInstalledProgram(): Promise<string> {
  const problems: string[] = [];
  for (const program of NAMES) {
    const problem = await problemOf(program);
    if (problem === undefined) return program;
    problems.push(problem);
  }
  return runFetchScript('redis', 'cached').catch((error: Error) => {
    throw new Error([...problems, error.message].join('; '));
  });
}

/**
 * The path of a server of the distribution's packages, in `$XDG_CACHE_HOME/baton` or `~/.cache/baton`, where it is put unless it is there.
 * @throws Error with what the script that fetches it said last.
 */
export function fetchServerProgram(
  name: 'redis' | 'valkey',
  say: (line: string) => void = () => {},
): Promise<string> {
  return runFetchScript(name, 'fetched', say);
}

async function runFetchScript(
  name: 'redis' | 'valkey',
  how: 'cached' | 'fetched',
  say: (line: string) => void = () => {},
): Promise<string> {
  const script = fileURLToPath(new URL('fetch-server.sh', import.meta.url));
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'baton');
  const fetching = run('bash', [script, name, cache, how], { timeout: FETCH_MS });
  fetching.child.stderr?.on('data', (text) => say(String(text).trim()));
  try {
    return (await fetching).stdout.trim();
  } catch (error) {
    const { killed, stderr, message } = error as Error & { killed?: boolean; stderr?: string };
    const said = stderr?.trim().split('\n').slice(-3).join('; ') || message;
    const reason = killed ? `it took more than ${FETCH_MS} ms` : said;
    throw new Error(how === 'cached' ? said : `fetching ${name}-server: ${reason}`, { cause: error });
  }
}

/** A program of the right name may be for another machine, lack a library, or be too old. */
async function problemOf(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['--version'], { timeout: 10_000 });
    const [, version, major] = /\bv=((\d+)\.\d+\.\d+)/.exec(stdout) ?? [];
    if (Number(major) >= OLDEST_MAJOR) return undefined;
    return `${program} on PATH is version ${version}; ${OLDEST_MAJOR}.0 or later is needed`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? `${program} is not on PATH`
      : `${program} on PATH does not run: ${(error as Error).message.trim()}`;
  }
}

/** By what `ID` and `ID_LIKE` of os-release(5) hold. */
const INSTALL: readonly (readonly [family: RegExp, line: string])[] = [
  [/debian|ubuntu/, 'apt-get install -y redis-server'],
  [/fedora|rhel|centos/, 'dnf install -y valkey'],
  [/alpine/, 'apk add redis'],
  [/arch/, 'pacman -S --noconfirm valkey'],
  [/suse/, 'zypper install -y redis'],
];
const IN_DOCKER =
  'docker run -d -p 127.0.0.1:6379:6379 redis:7-bookworm redis-server --appendonly yes --maxmemory-policy noeviction' +
  ' && export REDIS_URL=redis://127.0.0.1:6379';

/** The one line that gives this system a Redis. Where the installed one is too old, the system's packages have no other. */
async function installLine(tried: readonly string[]): Promise<string> {
  if (process.platform === 'darwin') return 'brew install redis';
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const families = [...release.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].map(([, value]) => value).join(' ');
  const [, line] = INSTALL.find(([family]) => family.test(families)) ?? [];
  if (line === undefined || tried.some((reason) => reason.includes('or later is needed'))) return IN_DOCKER;
  return process.getuid?.() === 0 ? line : `sudo ${line}`;
}
